// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * context.c - the argument of a script's function.
 *
 *	of all        timestamp cpu tid task depth
 *	entry         name address module source args
 *	exit          name address module source duration retval; open if it did not return
 *	event         name ("system:event") system event address (its id) fields info
 *	              (of a uftrace.data directory: neither system nor event, and no fields)
 *	lost          count (none: unknown)
 *
 * A field has the type that it has in `report --json`: numbers with their sign, booleans, texts,
 * lists. A pointer is a number here, because scripts compute.
 */
#include "base/errmsg.h"
#include "analyse/calls/replay.h"
#include "decode/callevent.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "script/context_int.h"
#include "script/script.h"
#include "symbols/tasks.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES (1u << 20)

static void put_text(struct context *c, const char *key, const char *text)
{
	c->lang->put_text(c->run, key, text, strlen(text));
}

void context_put_begin(struct context *c, const struct script_spec *spec)
{
	c->lang->put_bool(c->run, "record", spec->is_recording);
	put_text(c, "version", SONDE_VERSION);
	put_text(c, "trace", spec->trace);
	c->lang->open_list(c->run, "cmds", (int)spec->n_args + 1);
	put_text(c, NULL, spec->path);
	for (size_t i = 0; i < spec->n_args; i++)
		put_text(c, NULL, spec->args[i]);
	c->lang->close(c->run);
}

static void put_head(struct context *c, const struct replay_item *item, bool as_uftrace)
{
	const struct task *task = item->task ? item->task->task : NULL;
	const struct language *l = c->lang;

	l->put_uint(c->run, "timestamp", item->ts);
	if (task) {
		l->put_int(c->run, "tid", task->pid);
		l->put_int(c->run, "depth", item->level);
	}
	if (as_uftrace)
		return;
	l->put_int(c->run, "cpu", item->cpu);
	if (!task)
		return;
	if (task->known)
		l->put_text(c->run, "task", task->comm, task->comm_len);
	if (task->tgid >= 0)
		l->put_int(c->run, "pid", task->tgid);
}

void context_put_loss(struct context *c, const struct replay_item *item)
{
	put_head(c, item, false);
	if (item->n_lost)
		c->lang->put_uint(c->run, "count", item->n_lost);
}

/*
 * --- arguments and return values ---------------------------------------------------------------
 *
 * They are recorded as texts, written as in C: 3, 0x7f, 1.5, "name", 'c', {x=1}. Numbers and
 * strings become values of the script's language; everything else stays a text.
 */

/* The character behind a backslash; *len: how many bytes it takes. */
static char unescape(const char *s, size_t left, size_t *len)
{
	static const char letters[] = "abtnvfr";
	const char *found = strchr(letters, s[0]);
	unsigned v = 0;
	size_t n = 0;

	*len = 1;
	if (found && s[0])
		return (char)('\a' + (found - letters));
	if (s[0] == 'x')
		for (n = 1; n < left && n < 3 && isxdigit((unsigned char)s[n]); n++)
			v = v * 16 +
			    (isdigit((unsigned char)s[n])
				     ? (unsigned)(s[n] - '0')
				     : (unsigned)(tolower((unsigned char)s[n]) - 'a' + 10));
	else
		for (; n < left && n < 3 && s[n] >= '0' && s[n] <= '7'; n++)
			v = v * 8 + (unsigned)(s[n] - '0');
	*len = n ? n : 1;
	return n ? (char)v : s[0];
}

static void put_quoted(struct context *c, const char *key, const char *s, size_t len)
{
	textbuf_clear(&c->text);
	for (size_t i = 0; i < len; i++) {
		size_t taken = 0;

		if (s[i] != '\\' || i + 1 == len) {
			textbuf_add_char(&c->text, s[i]);
			continue;
		}
		textbuf_add_char(&c->text, unescape(s + i + 1, len - i - 1, &taken));
		i += taken;
	}
	c->lang->put_text(c->run, key, textbuf_text(&c->text), textbuf_len(&c->text));
}

static bool put_as_number(struct context *c, const char *key, const char *text)
{
	char *end;
	uint64_t v;
	double real;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (!*end && !errno) {
		if (text[0] == '-')
			c->lang->put_int(c->run, key, (int64_t)v);
		else
			c->lang->put_uint(c->run, key, v);
		return true;
	}
	real = strtod(text, &end);
	if (!*end)
		c->lang->put_real(c->run, key, real);
	return !*end;
}

static void put_value(struct context *c, const char *key, const char *text, size_t len)
{
	char number[64];
	bool is_quoted =
		len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0];

	if (is_quoted) {
		put_quoted(c, key, text + 1, len - 2);
		return;
	}
	if (len && len < sizeof(number)) {
		memcpy(number, text, len);
		number[len] = '\0';
		if (put_as_number(c, key, number))
			return;
	}
	c->lang->put_text(c->run, key, text, len);
}

static void put_values(struct context *c, const struct replay_item *item)
{
	struct piece rest, value;

	if (item->kind == REPLAY_ENTER && item->args) {
		rest = (struct piece){(const uint8_t *)item->args, strlen(item->args)};
		c->lang->open_tuple(c->run, "args", 4);
		while (call_values_next(&rest, &value))
			put_value(c, NULL, (const char *)value.data, value.len);
		c->lang->close(c->run);
	}
	if (item->kind != REPLAY_ENTER && item->ret)
		put_value(c, "retval", item->ret, strlen(item->ret));
}

/*
 * --- calls -------------------------------------------------------------------------------------
 */

void context_put_call(struct context *c, const struct replay_item *item, bool as_uftrace)
{
	const struct flow_func *fn = item->func;
	const struct language *l = c->lang;

	put_head(c, item, as_uftrace);
	l->put_uint(c->run, "address", fn->addr);
	l->put_name(c->run, "name", fn->name, fn->name_len);
	if (item->kind != REPLAY_ENTER && item->has_duration)
		l->put_uint(c->run, "duration", item->duration);
	put_values(c, item);
	if (as_uftrace)
		return;
	if (fn->module)
		l->put_name(c->run, "module", fn->module, strlen(fn->module));
	else if (!fn->is_user)
		l->put_name(c->run, "module", "kernel", 6);
	if (fn->source)
		l->put_name(c->run, "source", fn->source, strlen(fn->source));
	if (item->kind == REPLAY_OPEN)
		l->put_bool(c->run, "open", true);
}

/*
 * --- fields of events --------------------------------------------------------------------------
 */

static void put_number(struct context *c, const char *key, const struct field *f, uint64_t v,
		       unsigned size)
{
	unsigned shift = 64 - size * 8;

	if (f->flags & FIELD_REAL)
		c->lang->put_real(c->run, key, real_of(f, v));
	else if (!strcmp(f->type, "bool"))
		c->lang->put_bool(c->run, key, v);
	else if (f->flags & FIELD_SIGNED)
		c->lang->put_int(c->run, key, (int64_t)(v << shift) >> shift);
	else
		c->lang->put_uint(c->run, key, v);
}

static void put_array(struct context *c, const struct field *f)
{
	const struct printer *p = &c->printer;
	struct piece bytes = printer_field_bytes(p, f);
	unsigned size = f->element_size;

	if (f->flags & FIELD_FAULTS && !bytes.len) {
		c->lang->put_none(c->run, f->name);
		return;
	}
	if (f->flags & FIELD_STRING && !event_shows_array(p->ev, f)) {
		const char *text = bytes.len ? (const char *)bytes.data : "";

		c->lang->put_text(c->run, f->name, text, strnlen(text, bytes.len));
		return;
	}
	if (size != 2 && size != 4 && size != 8)
		size = 1;
	c->lang->open_list(c->run, f->name, (int)(bytes.len / size));
	for (size_t i = 0; i + size <= bytes.len; i += size)
		put_number(c, NULL, f, bytes_get(bytes.data + i, size, p->swap), size);
	c->lang->close(c->run);
}

static void put_fields(struct context *c, const struct record *rec)
{
	const struct event *ev = rec->event;
	uint64_t v;

	printer_point_at(&c->printer, rec);
	c->lang->open_table(c->run, "fields", (int)ev->n_fields);
	for (size_t i = 0; i < ev->n_fields; i++) {
		const struct field *f = &ev->fields[i];

		if (f->flags & (FIELD_ARRAY | FIELD_DYNAMIC))
			put_array(c, f);
		else if (printer_number(&c->printer, f, &v))
			put_number(c, f->name, f, v, f->size);
		else
			c->lang->put_none(c->run, f->name);
	}
	c->lang->close(c->run);
}

static void put_info(struct context *c, const struct record *rec, const char *key)
{
	size_t len;

	textbuf_clear(&c->text);
	c->printer.out = &c->text;
	printer_print(&c->printer, rec, false);
	len = textbuf_len(&c->text);
	while (len && c->text.start[len - 1] == '\n')
		len--;
	c->lang->put_text(c->run, key, len ? c->text.start : "", len);
}

void context_put_event(struct context *c, const struct replay_item *item, bool as_uftrace)
{
	const struct event *ev = item->record->event;
	const char *system = ev->system ? ev->system : "";
	char name[256];
	size_t n_system = strnlen(system, 120), n_name = strnlen(ev->name, 120);

	memcpy(name, system, n_system);
	name[n_system] = ':';
	memcpy(name + n_system + 1, ev->name, n_name);
	put_head(c, item, false);
	c->lang->put_text(c->run, "name", name, n_system + 1 + n_name);
	c->lang->put_name(c->run, "system", system, strlen(system));
	c->lang->put_name(c->run, "event", ev->name, strlen(ev->name));
	c->lang->put_int(c->run, "address", ev->id);
	put_info(c, item->record, as_uftrace ? "args" : "info");
	put_fields(c, item->record);
}

void context_put_foreign(struct context *c, const struct replay_item *item,
			 const struct script_event *event, bool as_uftrace)
{
	put_head(c, item, as_uftrace);
	put_text(c, "name", event->name);
	c->lang->put_uint(c->run, "address", event->number);
	put_text(c, as_uftrace ? "args" : "info", event->text);
	if (as_uftrace)
		return;
	c->lang->open_table(c->run, "fields", 0);
	c->lang->close(c->run);
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

int context_init(struct context *c, const struct language *lang, void *run, struct formats *f)
{
	*c = (struct context){.lang = lang, .run = run};
	textbuf_init(&c->text, TEXT_MAX_BYTES);
	if (!f)
		return 0;
	if (printer_init(&c->printer, f, &c->text) < 0)
		return -ENOMEM;
	c->has_printer = true;
	return 0;
}

void context_release(struct context *c)
{
	if (c->has_printer)
		printer_release(&c->printer);
	textbuf_release(&c->text);
}
