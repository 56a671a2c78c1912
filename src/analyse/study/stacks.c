// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stacks.c - counts the kernel stacks that led to an event.
 *
 *	event ──▶ its CPU expects a stack; next kernel_stack there ──▶ row of that stack, or of the
 *	          part beyond a function; if that part is empty: user space
 */
#include "analyse/study/study_int.h"

#include "analyse/own.h"
#include "analyse/sched/waitplace.h"
#include "base/array.h"
#include "decode/formats/event.h"
#include "decode/print/print.h"
#include "format/bytes.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#define CPUS_MAX   65536
#define FRAMES_MAX 64

struct study_stacks {
	struct own own;
	struct printer printer;
	uint8_t *wanted; /* flags by event id */
	size_t n_events;
	int stack_id; /* id of kernel_stack; -1: none */
	const struct field *caller;
	int *waiting; /* by CPU: 1 + the task whose stack is expected; 0: none is expected */
	size_t n_waiting;
};

static bool is_beyond(struct study *s, size_t from)
{
	const char *label = textbuf_text(&s->label);
	bool found = false;

	for (size_t i = 0; i < s->spec->n_beyond && !found && !s->label.overflow; i++)
		found = !fnmatch(s->spec->beyond[i], label + from, 0);
	return found;
}

static void fmt_function(struct printer *p, uint64_t addr)
{
	if (printer_add_symbol_name(p, addr))
		return;
	textbuf_add(p->out, "0x", 2);
	textbuf_add_hex(p->out, addr);
}

static void add_stack(struct study *s, const struct record *rec)
{
	struct study_stacks *st = s->stacks;
	unsigned step = s->f->long_size, n = 0;
	bool cut = !s->spec->n_beyond;
	size_t len;

	printer_point_at(&st->printer, rec);
	textbuf_clear(&s->label);
	for (uint32_t pos = st->caller->offset; pos <= rec->size && rec->size - pos >= step;
	     pos += step) {
		uint64_t addr = bytes_get(rec->data + pos, step, s->f->swap);

		if (addr == UINT64_MAX || (step == 4 && addr == UINT32_MAX) || n == FRAMES_MAX)
			break;
		if (n)
			textbuf_add_char(&s->label, '\n');
		len = textbuf_len(&s->label);
		fmt_function(&st->printer, addr);
		n++;
		if (n == 1 &&
		    frame_is_of_tracer(s->label.start + len, textbuf_len(&s->label) - len)) {
			textbuf_clear(&s->label);
			n = 0;
			/* entry functions come in pairs */
		} else if ((!cut || n == 1) && is_beyond(s, len)) {
			textbuf_clear(&s->label);
			n = 0;
			cut = true;
		}
	}
	if (!n && cut && s->spec->n_beyond)
		textbuf_add_str(&s->label, "user space");
	if (textbuf_len(&s->label))
		study_take_row(s, &(struct study_row){.n = 1});
}

static void add(struct study *s, const struct record *rec)
{
	struct study_stacks *st = s->stacks;
	int pid = rec->task ? rec->task->pid : -1, *waiting;

	if (!rec->event || (size_t)rec->event->id >= st->n_events || own_takes_part(&st->own, rec))
		return;
	s->n_seen += st->wanted[rec->event->id];
	if (!ARRAY_ROOM(st->waiting, st->n_waiting, (size_t)rec->cpu + 1, CPUS_MAX))
		return;
	waiting = &st->waiting[rec->cpu];
	if (rec->event->id != st->stack_id || !st->caller) {
		*waiting = st->wanted[rec->event->id] ? pid + 1 : 0;
		return;
	}
	if (*waiting && *waiting == pid + 1)
		add_stack(s, rec);
	*waiting = 0;
}

static bool is_asked_for(const struct study_spec *spec, const struct event *ev)
{
	return ARRAY_ANY(spec->n_from, i, key_event_matches(spec->from[i], ev->system, ev->name));
}

static int start(struct study *s)
{
	const struct event *stack = formats_find_name(s->f, "ftrace", "kernel_stack");
	struct study_stacks *st = s->stacks = calloc(1, sizeof(*st));

	if (!st)
		return -ENOMEM;
	st->n_events = s->f->n_table;
	st->wanted = calloc(st->n_events + 1, 1);
	if (!st->wanted || own_init(&st->own, s->f, s->spec->with_own) < 0 ||
	    printer_init(&st->printer, s->f, &s->label) < 0)
		return -ENOMEM;
	formats_kallsyms(s->f);
	for (size_t i = 0; i < s->f->n_events; i++) {
		const struct event *ev = s->f->by_id[i];

		if ((size_t)ev->id < st->n_events)
			st->wanted[ev->id] = is_asked_for(s->spec, ev);
	}
	st->stack_id = stack ? stack->id : -1;
	st->caller = stack ? event_find_field(stack, "caller") : NULL;
	return 0;
}

static int finish(struct study *s)
{
	return 0;
}

static void release(struct study *s)
{
	if (!s->stacks)
		return;
	own_release(&s->stacks->own);
	printer_release(&s->stacks->printer);
	free(s->stacks->wanted);
	free(s->stacks->waiting);
	free(s->stacks);
}

const struct study_engine study_stacks = {start, add, finish, release};
