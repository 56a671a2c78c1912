// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * keys.c - reads values of records by name, as 64 bits each.
 *
 *  word ──▶ field of the event ──▶ bytes of the record ──▶ number, or text stored once ──▶ 64 bits
 *      └──▶ $cpu $pid $comm $task $event
 *
 * Values become text only for output: the name that the event's print format gives to the number
 * (__print_symbolic), or the other forms that it uses (flags, letters, hex), or the symbol of a
 * code address, or otherwise digits.
 */
#include "analyse/keys.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/spelling.h"
#include "decode/callevent.h"
#include "format/bytes.h"
#include "symbols/programs.h"
#include "symbols/tables/syscalls.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>

static const struct {
	const char *word;
	enum key_kind kind;
} general[] = {
	{"cpu", KEY_CPU},   {"common_cpu", KEY_CPU}, {"pid", KEY_PID},	   {"common_pid", KEY_PID},
	{"comm", KEY_COMM}, {"task", KEY_TASK},	     {"event", KEY_EVENT},
};

void keyreader_init_texts(struct keyreader *kr)
{
	*kr = (struct keyreader){0};
	textbuf_init(&kr->text, KEY_TEXT_MAX_LEN);
	namepool_init(&kr->pool);
}

int keyreader_init(struct keyreader *kr, struct formats *f)
{
	keyreader_init_texts(kr);
	return printer_init(&kr->printer, f, &kr->text);
}

void keyreader_release(struct keyreader *kr)
{
	printer_release(&kr->printer);
	textbuf_release(&kr->text);
	namepool_release(&kr->pool);
}

/*
 * --- binding -----------------------------------------------------------------------------------
 */

static enum key_kind find_general(const char *word)
{
	word += *word == '$';
	for (size_t i = 0; i < ARRAY_LEN(general); i++)
		if (!strcmp(general[i].word, word))
			return general[i].kind;
	return KEY_ABSENT;
}

void key_take_argument(char word[KEY_WORD_MAX])
{
	static const struct {
		const char *argument, *field;
	} rows[] = {{"$retval", "ret"}, {"$duration", "duration"}};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(word, rows[i].argument))
			snprintf(word, KEY_WORD_MAX, "%s", rows[i].field);
}

void key_spell_field(struct spelling *sp, const struct event *ev)
{
	for (size_t i = 0; i < ev->n_fields; i++) {
		const char *name = ev->fields[i].name;

		if (!strncmp(name, sp->word, sp->len) && !strcmp(name + sp->len, "__0")) {
			sp->nearest = name;
			sp->distance = 0;
		}
		spelling_add(sp, name);
	}
}

bool key_can_match(const struct key_slot *slot, const char *word)
{
	return slot->field ||
	       (slot->kind != KEY_ABSENT && (*word == '$' || !strncmp(word, "common_", 7)));
}

/*
 * Binds $syscall. raw_syscalls:sys_enter and sys_exit contain its number, and so do the events of
 * single calls.
 */
static struct key_slot bind_syscall(const struct event *ev)
{
	static const struct {
		const char *system, *field;
	} rows[] = {{"raw_syscalls", "id"},
		    {"syscalls", "__syscall_nr"},
		    {"seccomp", "nr"},
		    {"syscall", "nr"}};
	const struct field *f = NULL;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strcmp(ev->system, rows[i].system))
			f = event_find_field(ev, rows[i].field);
	if (!f || (f->size != 4 && f->size != 8))
		return (struct key_slot){.kind = KEY_ABSENT};
	return (struct key_slot){.kind = KEY_NUMBER, .field = f, .ev = ev, .is_syscall = true};
}

/*
 * Finds the field for $func: the place of a probe, or the function that the function tracers name.
 */
static const struct field *find_function(const struct event *ev)
{
	static const char *const names[] = {"__probe_func", "__probe_ip", "func", "ip"};
	bool is_user, is_call = call_event_step(ev, &is_user) != CALL_NOT;
	size_t n = ARRAY_LEN(names) - (is_call || !strcmp(ev->system, "ftrace") ? 0 : 2);
	const struct field *f = NULL;

	for (size_t i = 0; i < n && !f; i++)
		f = event_find_field(ev, names[i]);
	return f;
}

static struct key_slot bind_function(const struct event *ev)
{
	const struct field *f = find_function(ev);

	if (!f || (f->size != 4 && f->size != 8))
		return (struct key_slot){.kind = KEY_ABSENT};
	return (struct key_slot){.kind = KEY_NUMBER, .field = f, .shown = SHOWN_FUNCTION, .ev = ev};
}

struct key_slot key_bind(const struct event *ev, const char *word)
{
	const struct field *f = *word == '$' ? NULL : event_find_field(ev, word);

	if (!strcmp(word, "$syscall"))
		return bind_syscall(ev);
	if (!strcmp(word, "$func"))
		return bind_function(ev);
	if (!f)
		return (struct key_slot){.kind = find_general(word)};
	if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC) && event_shows_array(ev, f))
		return (struct key_slot){.kind = KEY_TEXT, .field = f, .is_array = true};
	if (f->flags & FIELD_STRING)
		return (struct key_slot){.kind = KEY_TEXT, .field = f};
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return (struct key_slot){.kind = KEY_ABSENT};
	return (struct key_slot){.kind = KEY_NUMBER,
				 .field = f,
				 .names = event_find_value_names(ev, f),
				 .shown = event_shows_number(ev, f),
				 .ev = ev};
}

bool key_event_matches(const char *pattern, const char *system, const char *name)
{
	size_t len = strcspn(pattern, ":/");
	char word[KEY_WORD_MAX];

	if (!strcmp(pattern, "all"))
		return strcmp(system, "ftrace");
	if (!pattern[len])
		return !fnmatch(pattern, name, 0) || !fnmatch(pattern, system, 0);
	snprintf(word, sizeof(word), "%.*s", (int)len, pattern);
	return !fnmatch(word, system, 0) && !fnmatch(pattern + len + 1, name, 0);
}

int key_refuse_event(const struct formats *f, const char *pattern, struct errmsg *err)
{
	const char *name = pattern + strcspn(pattern, ":/");
	struct spelling sp;

	name = *name ? name + 1 : pattern;
	spelling_init(&sp, name, strlen(name));
	for (size_t i = 0; i < f->n_events; i++)
		spelling_add(&sp, f->by_id[i]->name);
	return errmsg_set(err, -ENOENT, "the trace knows no event '%s'%s%s%s", pattern,
			  sp.nearest ? "; did you mean '" : "", sp.nearest ? sp.nearest : "",
			  sp.nearest ? "'?" : "");
}

/*
 * --- values ------------------------------------------------------------------------------------
 */

uint64_t key_of_text(struct keyreader *kr, const char *text, size_t len)
{
	return (uintptr_t)namepool_find(&kr->pool, text,
					len < KEY_TEXT_MAX_LEN ? len : KEY_TEXT_MAX_LEN);
}

uint64_t key_of_same_text(struct keyreader *kr, uint64_t value)
{
	const struct pooled_name *name = (const struct pooled_name *)(uintptr_t)value;

	return name ? (uintptr_t)namepool_find(&kr->pool, name->text, name->len) : 0;
}

uint64_t key_of_cut_text(struct keyreader *kr, const char *text, size_t len)
{
	char cut[KEY_TEXT_MAX_LEN];
	int n = snprintf(cut, sizeof(cut), "%.*s…", (int)len, text);

	kr->has_cut = true;
	return key_of_text(kr, cut, (size_t)n < sizeof(cut) ? (size_t)n : sizeof(cut) - 1);
}

static void learn_task(struct keyreader *kr, const struct task *task)
{
	char name[96];
	const char *comm = task ? task->comm : "<...>";
	int pid = task ? task->pid : -1, n;

	kr->last_task = task;
	kr->last_comm = key_of_text(kr, comm, strlen(comm));
	n = snprintf(name, sizeof(name), "%s-%d", comm, pid);
	kr->last_name = key_of_text(kr, name, (size_t)n < sizeof(name) ? n : sizeof(name) - 1);
}

static uint64_t read_number(const struct keyreader *kr, const struct field *f,
			    const struct record *rec)
{
	unsigned bits = f->size * 8;
	uint64_t v;

	if ((uint64_t)f->offset + f->size > rec->size)
		return 0;
	v = field_number(f, bytes_get(rec->data + f->offset, f->size, kr->printer.swap));
	if (f->flags & FIELD_SIGNED && bits < 64)
		v = (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
	return v;
}

static uint64_t read_text(struct keyreader *kr, const struct key_slot *slot,
			  const struct record *rec)
{
	struct piece bytes;

	printer_point_at(&kr->printer, rec);
	if (slot->is_array) {
		textbuf_clear(&kr->text);
		printer_print_array(&kr->printer, slot->field);
		return key_of_text(kr, kr->text.start, textbuf_len(&kr->text));
	}
	bytes = printer_field_bytes(&kr->printer, slot->field);
	if (!bytes.len && slot->field->flags & FIELD_FAULTS)
		return key_of_text(kr, "(fault)", strlen("(fault)"));
	return key_of_text(kr, bytes.len ? (const char *)bytes.data : "",
			   strnlen((const char *)bytes.data, bytes.len));
}

static bool shows_code(const struct key_slot *slot)
{
	return slot->shown == SHOWN_SYMBOL || slot->shown == SHOWN_FUNCTION;
}

/*
 * Makes a printer if there is none. If the kernel counted, there is no trace, and the formats of
 * the event are used.
 */
static bool has_printer(struct keyreader *kr, const struct key_slot *slot)
{
	return kr->printer.memo || printer_init(&kr->printer, slot->ev->formats, &kr->text) >= 0;
}

static const struct kallsyms *symbols_of(struct keyreader *kr)
{
	struct printer *p = &kr->printer;

	if (__builtin_expect(!p->kallsyms, 0)) {
		p->kallsyms = formats_kallsyms(p->formats);
		ksym_cache_init(p->symbols, p->kallsyms);
	}
	return p->kallsyms;
}

/*
 * Maps addresses of the same function to one value. A function has one row, even if several
 * programs loaded it. If only the function is shown (without offset), all addresses inside it share
 * that row.
 */
static uint64_t unify(struct keyreader *kr, const struct key_slot *slot, uint64_t v)
{
	uint64_t addr = programs_unify(symbols_of(kr)->programs, v);
	const struct ksym *sym = slot->shown == SHOWN_FUNCTION ? keyreader_symbol(kr, addr) : NULL;

	return sym ? sym->addr : addr;
}

static uint64_t read_code(struct keyreader *kr, const struct key_slot *slot,
			  const struct record *rec)
{
	uint64_t v = read_number(kr, slot->field, rec);
	size_t i = v * 0x9e3779b97f4a7c15u >> 58;

	if (kr->unified[i].from != v) {
		kr->unified[i].from = v;
		kr->unified[i].to = unify(kr, slot, v);
	}
	return kr->unified[i].to;
}

uint64_t key_of_number(struct keyreader *kr, const struct key_slot *slot, uint64_t number)
{
	uint64_t v = field_number(slot->field, number);

	return shows_code(slot) && has_printer(kr, slot) ? unify(kr, slot, v) : v;
}

uint64_t key_read(struct keyreader *kr, const struct key_slot *slot, const struct record *rec)
{
	switch (slot->kind) {
	case KEY_NUMBER:
		return shows_code(slot) ? read_code(kr, slot, rec)
					: read_number(kr, slot->field, rec);
	case KEY_TEXT:
		return read_text(kr, slot, rec);
	case KEY_CPU:
		return rec->cpu;
	case KEY_PID:
		return (uint64_t)(int64_t)(rec->task ? rec->task->pid : -1);
	case KEY_COMM:
	case KEY_TASK:
		if (rec->task != kr->last_task || !kr->last_comm)
			learn_task(kr, rec->task);
		return slot->kind == KEY_COMM ? kr->last_comm : kr->last_name;
	case KEY_EVENT:
		return key_of_text(kr, rec->event->name, strlen(rec->event->name));
	case KEY_ABSENT:
		break;
	}
	return 0;
}

/*
 * --- text --------------------------------------------------------------------------------------
 */

static bool points_at_code(const struct field *f)
{
	static const char *const names[] = {
		"function",   "func",	      "call_site",     "caller",
		"ip",	      "caller_ip",    "parent_ip",     "location",
		"__probe_ip", "__probe_func", "__probe_ret_ip"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(f->name, names[i]))
			return f->size == 8 || f->size == 4;
	return false;
}

const struct ksym *keyreader_symbol(struct keyreader *kr, uint64_t addr)
{
	symbols_of(kr);
	return printer_symbol(&kr->printer, addr);
}

bool key_is_code(const struct key_slot *slot)
{
	return slot->kind == KEY_NUMBER && (shows_code(slot) || points_at_code(slot->field));
}

bool key_is_plain(const struct key_slot *slot)
{
	if (slot->kind == KEY_CPU || slot->kind == KEY_PID)
		return true;
	return slot->kind == KEY_NUMBER && !slot->names && !shows_code(slot) &&
	       !(slot->field->flags & (FIELD_POINTER | FIELD_REAL)) && !points_at_code(slot->field);
}

/*
 * Returns the name of the value in the print format, or NULL. A four-byte -2 is 4294967294 there.
 */
static const struct flag_name *find_name(const struct key_slot *slot, uint64_t v)
{
	uint64_t mask = slot->names ? field_mask(slot->field) : 0;

	for (size_t i = 0; slot->names && i < slot->names->flags.n_names; i++)
		if (((uint64_t)slot->names->flags.names[i].value & mask) == (v & mask))
			return &slot->names->flags.names[i];
	return NULL;
}

static const char *find_call(const struct key_slot *slot, uint64_t v)
{
	return slot->is_syscall ? syscall_name(formats_syscalls(slot->ev->formats), v) : NULL;
}

bool key_is_nameless(const struct key_slot *slot, uint64_t value)
{
	struct key_slot bare = *slot;

	bare.names = NULL;
	if (find_call(slot, value) ||
	    (slot->kind == KEY_NUMBER && field_is_gone(slot->field, value)) ||
	    (slot->shown == SHOWN_NAMES && !slot->names))
		return false;
	return key_is_plain(slot) ||
	       (slot->kind == KEY_NUMBER && key_is_plain(&bare) && !find_name(slot, value));
}

/* Formats the value as in a report. Returns false if it is to be shown in digits. */
static bool fmt_shown(struct keyreader *kr, const struct key_slot *slot, uint64_t v,
		      struct textbuf *tb)
{
	if (slot->shown == SHOWN_PLAIN || slot->names)
		return false;
	if (slot->shown == SHOWN_HEX) {
		unsigned bits = slot->field->size * 8;

		textbuf_add(tb, "0x", 2);
		textbuf_add_hex(tb, bits < 64 ? v & (UINT64_MAX >> (64 - bits)) : v);
		return true;
	}
	if (!has_printer(kr, slot))
		return false;
	if (shows_code(slot) && !keyreader_symbol(kr, v))
		return false;
	textbuf_clear(&kr->text);
	if (!printer_print_number(&kr->printer, slot->ev, slot->field, v) ||
	    !textbuf_len(&kr->text)) /* no flag is set */
		return false;
	textbuf_add(tb, kr->text.start, textbuf_len(&kr->text));
	return true;
}

/* Writes a function, with the offset if a probe is not at its start. */
static void fmt_symbol(const struct ksym *sym, uint64_t v, struct textbuf *tb)
{
	textbuf_add(tb, sym->name, sym->name_len);
	if (v == sym->addr)
		return;
	textbuf_add(tb, "+0x", 3);
	textbuf_add_hex(tb, v - sym->addr);
}

static void fmt_number(struct keyreader *kr, const struct key_slot *slot, uint64_t v,
		       struct textbuf *tb)
{
	const struct flag_name *name = find_name(slot, v);
	const struct ksym *sym;

	if (field_is_gone(slot->field, v))
		return textbuf_add_char(tb, '?');
	if (name)
		return textbuf_add(tb, name->text, name->len);
	if (find_call(slot, v))
		return textbuf_add_str(tb, find_call(slot, v));
	if (slot->field->flags & FIELD_REAL)
		return real_fmt(slot->field, v, tb);
	if (slot->field->flags & FIELD_WORD)
		return word_fmt(v, tb);
	sym = points_at_code(slot->field) && !shows_code(slot) && has_printer(kr, slot)
		      ? keyreader_symbol(kr, v)
		      : NULL;
	if (sym)
		return fmt_symbol(sym, v, tb);
	if (fmt_shown(kr, slot, v, tb))
		return;
	if (slot->field->flags & FIELD_POINTER || points_at_code(slot->field) || shows_code(slot)) {
		textbuf_add(tb, "0x", 2);
		return textbuf_add_hex(tb, v);
	}
	if (slot->field->flags & FIELD_SIGNED)
		return textbuf_add_signed(tb, (int64_t)v);
	textbuf_add_dec(tb, v);
}

void key_fmt(struct keyreader *kr, const struct key_slot *slot, uint64_t value, struct textbuf *tb)
{
	const struct pooled_name *name = (const struct pooled_name *)(uintptr_t)value;

	switch (slot->kind) {
	case KEY_NUMBER:
		return fmt_number(kr, slot, value, tb);
	case KEY_CPU:
	case KEY_PID:
		return textbuf_add_signed(tb, (int64_t)value);
	case KEY_TEXT:
	case KEY_COMM:
	case KEY_TASK:
	case KEY_EVENT:
		/* show characters that would break a row as a question mark */
		for (uint32_t i = 0; name && i < name->len; i++)
			textbuf_add_char(tb, (uint8_t)name->text[i] < ' ' ? '?' : name->text[i]);
		if (!name)
			textbuf_add_char(tb, '?');
		return;
	case KEY_ABSENT:
		textbuf_add_char(tb, '-');
	}
}
