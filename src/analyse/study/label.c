// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * label.c - the values of an event as the words of a row.
 *
 * A number is shown as the event itself would show it, if that is one word: by its name in the
 * print format,
 *
 *	print fmt: "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" } …
 *
 * a signal by its name, a pointer by its function. Everything else is a number. Words in capitals
 * are not fields: every record has CPU, COMM, PID and TASK; EVENT is its name.
 *
 * An event is bound once: the fields of the words, and their names. Nothing is looked up after
 * that.
 */
#include "analyse/study/study_int.h"

#include "base/array.h"
#include "decode/formats/event.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>

static const struct {
	const char *word;
	enum value_kind kind;
} pseudo_fields[] = {
	{"CPU", VALUE_CPU},   {"COMM", VALUE_COMM},   {"PID", VALUE_PID},
	{"TASK", VALUE_TASK}, {"EVENT", VALUE_EVENT},
};

/*
 * --- binding -----------------------------------------------------------------------------------
 */

static const struct arg *find_names(const struct event *ev, const char *name)
{
	for (const struct arg *a = ev->args; a; a = a->next)
		if (a->kind == ARG_SYMBOL && a->flags.value && a->flags.value->kind == ARG_FIELD &&
		    !strcmp(a->flags.value->field.name, name))
			return a;
	return NULL;
}

static struct study_value bind(const struct event *ev, const char *word)
{
	const struct field *field = event_find_field(ev, word);

	if (field)
		return (struct study_value){VALUE_FIELD, field, find_names(ev, word)};
	for (size_t i = 0; i < ARRAY_LEN(pseudo_fields); i++)
		if (!strcmp(pseudo_fields[i].word, word))
			return (struct study_value){.kind = pseudo_fields[i].kind};
	return (struct study_value){0};
}

bool study_event_matches(const char *pattern, const struct event *ev)
{
	const char *colon = strchr(pattern, ':');
	char system[STUDY_WORD_MAX];

	if (!colon)
		return !fnmatch(pattern, ev->name, 0);
	snprintf(system, sizeof(system), "%.*s", (int)(colon - pattern), pattern);
	return !fnmatch(system, ev->system, 0) && !fnmatch(colon + 1, ev->name, 0);
}

struct study_event *study_event_new(const struct study_spec *spec, const struct event *ev,
				    struct arena *arena)
{
	struct study_event *se = arena_alloc(arena, sizeof(*se));

	if (!se)
		return NULL;
	for (size_t i = 0; i < spec->n_from; i++)
		se->roles |= study_event_matches(spec->from[i], ev) ? ROLE_FROM : 0;
	for (size_t i = 0; i < spec->n_to; i++)
		se->roles |= study_event_matches(spec->to[i], ev) ? ROLE_TO : 0;
	for (size_t i = 0; i < spec->n_keys; i++) {
		se->from_keys[i] = bind(ev, spec->keys[i].from);
		se->to_keys[i] = bind(ev, spec->keys[i].to);
	}
	for (size_t i = 0; i < spec->n_groups; i++)
		se->groups[i] = bind(ev, spec->groups[i]);
	return se;
}

/*
 * --- words -------------------------------------------------------------------------------------
 */

void study_fmt_function(struct printer *p, uint64_t addr)
{
	if (printer_add_symbol_name(p, addr))
		return;
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, addr);
}

static int64_t extend(uint64_t v, const struct field *f)
{
	unsigned bits = f->size * 8;

	return bits < 64 ? (int64_t)(v << (64 - bits)) >> (64 - bits) : (int64_t)v;
}

static bool fmt_named(struct printer *p, const struct arg *names, uint64_t v)
{
	for (size_t i = 0; i < names->flags.n_names; i++)
		if ((uint64_t)names->flags.names[i].value == v) {
			textbuf_add(p->out, names->flags.names[i].text, names->flags.names[i].len);
			return true;
		}
	return false;
}

static bool points_at_code(const struct field *f)
{
	static const char *const names[] = {"function", "func",	     "call_site", "caller",
					    "ip",	"caller_ip", "parent_ip", "location"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(f->name, names[i]))
			return f->size == 8 || f->size == 4;
	return false;
}

/* Tabs and newlines would break the row. */
static void fmt_text(struct printer *p, struct piece text)
{
	size_t len = strnlen((const char *)text.data, text.len);

	for (size_t i = 0; i < len; i++)
		textbuf_add_char(p->out, text.data[i] < ' ' ? '?' : text.data[i]);
}

static void fmt_field(struct printer *p, const struct study_value *value)
{
	const struct field *f = value->field;
	uint64_t v;

	if (f->flags & FIELD_STRING)
		return fmt_text(p, printer_field_bytes(p, f));
	if (!printer_number(p, f, &v))
		return textbuf_add_char(p->out, '?');
	if (value->names && fmt_named(p, value->names, v))
		return;
	if (points_at_code(f))
		return study_fmt_function(p, v);
	if (!strcmp(f->name, "sig") && v < 65 && sigabbrev_np(v))
		return textbuf_addf(p->out, "SIG%s", sigabbrev_np(v));
	if (f->flags & FIELD_POINTER)
		return textbuf_addf(p->out, "0x%llx", (unsigned long long)v);
	if (f->flags & FIELD_SIGNED)
		return textbuf_add_signed(p->out, extend(v, f));
	textbuf_add_dec(p->out, v);
}

static void fmt_value(struct printer *p, const struct record *rec, const struct study_value *value)
{
	const struct task *task = rec->task;

	switch (value->kind) {
	case VALUE_FIELD:
		return fmt_field(p, value);
	case VALUE_CPU:
		return textbuf_add_dec(p->out, rec->cpu);
	case VALUE_PID:
		return textbuf_add_signed(p->out, task ? task->pid : -1);
	case VALUE_COMM:
	case VALUE_TASK:
		textbuf_add_str(p->out, task ? task->comm : "<...>");
		if (value->kind == VALUE_TASK)
			textbuf_addf(p->out, "-%d", task ? task->pid : -1);
		return;
	case VALUE_EVENT:
		return textbuf_add_str(p->out, rec->event->name);
	case VALUE_NONE:
		return;
	}
}

bool study_fmt_label(struct printer *p, const struct record *rec, const struct study_value *values,
		     size_t n)
{
	textbuf_clear(p->out);
	printer_point_at(p, rec);
	for (size_t i = 0; i < n; i++) {
		if (values[i].kind == VALUE_NONE)
			return false;
		if (i)
			textbuf_add_char(p->out, '\t');
		fmt_value(p, rec, &values[i]);
	}
	return true;
}
