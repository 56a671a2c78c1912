// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callorder.c - brings beginnings and ends of calls into the order of time.
 *
 *	thread 1   ├──── read ────┤             read(3 <unfinished ...>
 *	thread 2       ├ getpid ┤               getpid() = 2
 *	                                        <... read resumed>, "x", 1) = 1
 *
 * A call has two moments. When its beginning is the oldest moment, and its end the next one, it is
 * shown as a whole; otherwise in two parts. While only one thread exists, nothing can come between,
 * and records pass through without being kept. A moment is certain when all other threads are known
 * to be beyond it; with many threads, after CALLORDER_LAG_NS.
 *
 * A call of which only the beginning is known (SYSCALLEVENTS_OPEN) is shown in two parts at once.
 * The record of its end comes later, with the same beginning.
 *
 * Memory: the records of CALLORDER_LAG_NS, some 100 bytes each.
 */
#include "decode/syscalls/callorder.h"

#include "base/array.h"
#include "store/events/syscallevents.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#define MOMENTS_MAX (16u << 20)
#define TASKS_MAX   (1u << 20)
#define FEW_TASKS   8

struct callorder_entry {
	uint64_t start, end; /* end 0: unknown */
	int pid;
	uint8_t n_moments;	/* that are still in the heap */
	bool is_call, is_shown; /* its beginning was shown */
	bool is_hidden;
	bool is_note;
	size_t n_bytes;
	uint8_t bytes[];
};

/* A thread: its next call begins at this time or later. */
struct callorder_task {
	uint64_t until;
};

struct callorder_moment {
	uint64_t ts, seq;
	struct callorder_entry *entry;
	bool is_end;
};

void callorder_init(struct callorder *o)
{
	*o = (struct callorder){0};
}

static void drop_last(struct callorder *o)
{
	free(o->last);
	o->last = NULL;
}

void callorder_release(struct callorder *o)
{
	drop_last(o);
	for (size_t i = 0; i < o->n_moments; i++)
		if (!--o->moments[i].entry->n_moments)
			free(o->moments[i].entry);
	free(o->moments);
	for (size_t i = 0; i < o->tasks.n_slots; i++)
		free(o->tasks.slots[i].value);
	map_release(&o->open);
	map_release(&o->tasks);
}

/*
 * --- the heap ----------------------------------------------------------------------------------
 */

static bool is_before(const struct callorder_moment *a, const struct callorder_moment *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

static int push(struct callorder *o, uint64_t ts, struct callorder_entry *e, bool is_end)
{
	size_t i;
	struct callorder_moment m = {ts, o->seq++, e, is_end};

	if (!ARRAY_ROOM(o->moments, o->cap, o->n_moments + 1, MOMENTS_MAX))
		return -ENOMEM;
	for (i = o->n_moments++; i && is_before(&m, &o->moments[(i - 1) / 2]); i = (i - 1) / 2)
		o->moments[i] = o->moments[(i - 1) / 2];
	o->moments[i] = m;
	e->n_moments++;
	return 0;
}

static struct callorder_moment pop(struct callorder *o)
{
	struct callorder_moment first = o->moments[0], m = o->moments[--o->n_moments];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < o->n_moments) {
		if (child + 1 < o->n_moments &&
		    is_before(&o->moments[child + 1], &o->moments[child]))
			child++;
		if (!is_before(&o->moments[child], &m))
			break;
		o->moments[i] = o->moments[child];
		i = child;
	}
	o->moments[i] = m;
	first.entry->n_moments--;
	return first;
}

/*
 * --- records -----------------------------------------------------------------------------------
 */

/* The child that the call has started; 0: none. */
static int child_of(const struct syscallevents_call *call)
{
	bool is_x86 = call->machine == AUDIT_ARCH_X86_64;
	bool starts = call->nr == 435 || (is_x86 && call->nr >= 56 && call->nr <= 58) ||
		      (call->machine == AUDIT_ARCH_I386 &&
		       (call->nr == 2 || call->nr == 120 || call->nr == 190)) ||
		      (!is_x86 && call->nr == 220);

	return starts && call->type == SYSCALLEVENTS_CALL && call->ret > 0 ? (int)call->ret : 0;
}

static void take_task(struct callorder *o, int pid, uint64_t until)
{
	void **place = map_take(&o->tasks, (uint64_t)pid, TASKS_MAX);
	struct callorder_task *t;

	if (place && !*place)
		*place = calloc(1, sizeof(*t));
	t = place ? *place : NULL;
	if (t && t->until < until)
		t->until = until;
}

static void see_task(struct callorder *o, const struct syscallevents_call *call, uint64_t ts)
{
	int child;

	if (call->type == SYSCALLEVENTS_EXIT) {
		free(map_remove(&o->tasks, (uint64_t)call->pid));
		map_remove(&o->open, (uint64_t)call->pid);
		return;
	}
	take_task(o, call->pid, call->type == SYSCALLEVENTS_OPEN ? ts - call->duration : ts);
	child = child_of(call);
	if (child)
		take_task(o, child, 0);
}

/* Nothing can come between, and nothing waits. */
static bool is_alone(const struct callorder *o, const struct syscallevents_call *call)
{
	return !o->n_moments && !o->open.n && !o->last && call->type != SYSCALLEVENTS_OPEN &&
	       (!o->tasks.n || (o->tasks.n == 1 && map_find(&o->tasks, (uint64_t)call->pid)));
}

static struct callorder_entry *copy(uint64_t ts, const struct syscallevents_call *call,
				    size_t n_bytes)
{
	struct callorder_entry *e = malloc(sizeof(*e) + n_bytes);

	if (!e)
		return NULL;
	*e = (struct callorder_entry){.start = ts, .end = ts, .pid = call->pid, .n_bytes = n_bytes};
	memcpy(e->bytes, call, n_bytes);
	e->is_call = call->type == SYSCALLEVENTS_CALL || call->type == SYSCALLEVENTS_OPEN;
	if (e->is_call && call->duration < ts)
		e->start = ts - call->duration;
	if (call->type == SYSCALLEVENTS_OPEN)
		e->end = 0;
	return e;
}

static int add(struct callorder *o, uint64_t ts, const struct syscallevents_call *call,
	       size_t n_bytes, bool is_hidden)
{
	bool is_note = n_bytes >= sizeof(*call) && call->type == CALLORDER_NOTE;
	struct callorder_entry *e;
	uint64_t start;
	int r = 0;

	if (n_bytes < sizeof(*call))
		return 0;
	o->latest = ts > o->latest ? ts : o->latest;
	/* a note may lie inside of a call of its thread, whose record is still to come */
	if (!is_note && is_alone(o, call)) {
		see_task(o, call, ts);
		return 1;
	}
	if (!is_note)
		see_task(o, call, ts);
	e = copy(ts, call, n_bytes);
	if (!e)
		return -ENOMEM;
	e->is_hidden = is_hidden;
	e->is_note = is_note;
	/* the beginning of a call that lasted was shown when it was announced */
	start = (uint64_t)(uintptr_t)map_find(&o->open, (uint64_t)e->pid);
	if (e->is_call && e->end && start) {
		e->is_shown = true;
		map_remove(&o->open, (uint64_t)e->pid);
	}
	if (!e->end) {
		void **place = map_take(&o->open, (uint64_t)e->pid, TASKS_MAX);

		if (start) { /* the recording ends, and it was announced already */
			free(e);
			return 0;
		}
		if (place)
			*place = o;
	}
	if (e->is_call && !e->is_shown)
		r = push(o, e->start, e, false);
	if (r >= 0 && e->end)
		r = push(o, e->end, e, true);
	if (r < 0 && !e->n_moments)
		free(e);
	return r;
}

int callorder_add(struct callorder *o, uint64_t ts, const struct syscallevents_call *call,
		  size_t n_bytes)
{
	return add(o, ts, call, n_bytes, false);
}

int callorder_add_hidden(struct callorder *o, uint64_t ts, const struct syscallevents_call *call,
			 size_t n_bytes)
{
	return add(o, ts, call, n_bytes, true);
}

void callorder_pass(struct callorder *o, uint64_t ts)
{
	o->latest = ts > o->latest ? ts : o->latest;
}

void callorder_finish(struct callorder *o)
{
	o->is_final = true;
}

/* Are all other threads known to be beyond this time? Their next records begin later. */
static bool are_beyond(const struct callorder *o, uint64_t ts, int pid)
{
	if (o->tasks.n > FEW_TASKS)
		return false;
	for (size_t i = 0; i < o->tasks.n_slots; i++) {
		const struct callorder_task *t = o->tasks.slots[i].value;

		if (t && t->until < ts && o->tasks.slots[i].key != (uint64_t)pid)
			return false;
	}
	return true;
}

/* Is nothing older than this to come? */
static bool is_certain(const struct callorder *o, const struct callorder_moment *m)
{
	return o->is_final || m->ts + CALLORDER_LAG_NS <= o->latest ||
	       are_beyond(o, m->ts, m->entry->is_note ? 0 : m->entry->pid);
}

bool callorder_next(struct callorder *o, struct callorder_item *ret)
{
	struct callorder_moment m;
	struct callorder_entry *e;

	drop_last(o);
	if (!o->n_moments || !is_certain(o, &o->moments[0]))
		return false;
	m = pop(o);
	e = m.entry;
	ret->ts = m.ts;
	ret->call = (const struct syscallevents_call *)e->bytes;
	ret->n_bytes = e->n_bytes;
	ret->is_hidden = e->is_hidden;
	if (!e->is_call) {
		ret->part = CALLORDER_WHOLE;
	} else if (m.is_end) {
		ret->part = CALLORDER_RESUMED;
	} else if (e->end && o->n_moments && o->moments[0].entry == e) {
		pop(o);
		ret->ts = e->end;
		ret->part = CALLORDER_WHOLE;
	} else {
		ret->part = CALLORDER_UNFINISHED;
		e->is_shown = true;
	}
	if (!e->n_moments)
		o->last = e;
	return true;
}
