// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tally.c - counts calls of functions, and times of tasks.
 *
 * A call counts when it ends. Calls that are open at the end count up to the last record of their
 * task. A task switch counts as a call of "linux:schedule". The time of a task is the time of its
 * outermost calls; its CPU time is that without task switches.
 */
#include "analyse/uftrace/tally.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/scope.h"
#include "format/uftrace.h"
#include "symbols/uftrace/module.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX (8u << 20)

struct uft_tally_seen {
	uint64_t last_ns;	    /* its last record that counts */
	const struct uft_sym *func; /* its last function */
};

void uft_tally_init(struct uft_tally *t, bool srcline)
{
	*t = (struct uft_tally){.srcline = srcline, .seed = hash_seed()};
}

void uft_tally_release(struct uft_tally *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->rows[i]->name);
		free(t->rows[i]);
	}
	free(t->rows);
	free(t->seen);
	map_release(&t->by_name);
}

static int begin(struct uft_tally *t, const struct uft_walk *w)
{
	t->seen = calloc(w->n_lanes + 1, sizeof(*t->seen));
	return t->seen ? 0 : -ENOMEM;
}

static struct uft_tally_seen *seen_of(struct uft_tally *t, const struct uft_lane *l)
{
	return &t->seen[uft_lane_index(l)];
}

/* The row of a name; NULL without memory. Names with equal hashes have consecutive keys. */
static struct uft_row *take_row(struct uft_tally *t, const char *name)
{
	uint64_t h = hash_of_text(t->seed, name, strlen(name));
	struct uft_row *row;
	void **slot;

	for (;; h++) {
		slot = map_take(&t->by_name, h, ROWS_MAX);
		if (!slot)
			return NULL;
		if (!*slot)
			break;
		row = *slot;
		if (!strcmp(row->name, name))
			return row;
	}
	row = calloc(1, sizeof(*row));
	if (row)
		row->name = strdup(name);
	if (!row || !row->name || !ARRAY_ROOM(t->rows, t->cap, t->n + 1, ROWS_MAX)) {
		if (row)
			free(row->name);
		free(row);
		return NULL;
	}
	row->total.min = row->self.min = UINT64_MAX;
	t->rows[t->n++] = row;
	*slot = row;
	return row;
}

static void add_time(struct uft_times *t, uint64_t ns, bool is_nested)
{
	if (is_nested)
		t->nested += ns;
	else
		t->sum += ns;
	t->min = ns < t->min ? ns : t->min;
	t->max = ns > t->max ? ns : t->max;
}

/* Adds the call that has just ended. */
static int add_call(struct uft_tally *t, struct uft_lane *l, const char *name,
		    const struct uft_dbg *place)
{
	struct uft_call *call = uft_call_ended(l);
	struct uft_row *row = take_row(t, name);
	bool is_nested = false;

	if (!row)
		return -ENOMEM;
	if (!call)
		return 0;
	for (int i = 0; i < l->n_open && !is_nested; i++)
		is_nested = uft_call_at(l, i) && uft_call_at(l, i)->addr == call->addr;
	add_time(&row->total, uft_call_ns(call), is_nested);
	add_time(&row->self, uft_call_ns(call) - call->inner_ns, false);
	row->n_calls++;
	row->place = place;
	row->task = l->task;
	if (seen_of(t, l)->func)
		row->size = seen_of(t, l)->func->size;
	return 0;
}

static int add_function(struct uft_tally *t, struct uft_walk *w, struct uft_lane *l,
			uint64_t time_ns, uint64_t addr)
{
	const struct uft_sym *s = uft_walk_sym(w, l, time_ns, addr);
	char text[24];

	snprintf(text, sizeof(text), "<%" PRIx64 ">", addr);
	if (!uft_is_sched(addr))
		seen_of(t, l)->func = s;
	return add_call(t, l, s ? s->name : text,
			t->srcline && s && s->dbg && s->dbg->file ? s->dbg : NULL);
}

/* Calls of a task that are open at the end. is_task: counts for its row. */
static int add_open(struct uft_tally *t, struct uft_walk *w, struct uft_lane *l, bool is_task)
{
	uint64_t last =
		is_task && !w->c.range_stop_ns ? seen_of(t, l)->last_ns : uft_walk_end_ns(w, l);
	char name[16];

	snprintf(name, sizeof(name), "%d", l->tid);
	while (l->calls && l->n_open > 0) {
		if (!uft_call_cut(l, last, is_task))
			continue;
		if (is_task)
			TRY(add_call(t, l, name, NULL));
		else
			TRY(add_function(t, w, l, last, uft_call_ended(l)->addr));
	}
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp((*(struct uft_row *const *)a)->name, (*(struct uft_row *const *)b)->name);
}

static void finish(struct uft_tally *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct uft_row *row = t->rows[i];

		if (!row->n_calls)
			continue;
		row->total.avg = (row->total.sum + row->total.nested) / row->n_calls;
		row->self.avg = (row->self.sum + row->self.nested) / row->n_calls;
	}
	if (t->n)
		qsort(t->rows, t->n, sizeof(*t->rows), compare_names);
}

/* Records are lost: what was open counts up to here. */
static int add_lost(struct uft_tally *t, struct uft_walk *w, struct uft_lane *l)
{
	while (l->n_open >= l->n_functions && l->n_open >= 0) {
		struct uft_call *call = uft_call_ended(l);

		if (w->is_on && call && call->has_begun && call->verdict != UFT_HIDDEN)
			TRY(add_function(t, w, l, seen_of(t, l)->last_ns, call->addr));
		uft_settle_return(l);
		l->n_open--;
	}
	l->n_open = l->n_open < 0 ? 0 : l->n_open;
	return 0;
}

/* The end of a call, or a task that runs again. */
static int add_end(struct uft_tally *t, struct uft_walk *w, struct uft_lane *l)
{
	const struct uft_sym *s;
	struct uft_call *call;

	if (l->rec.type == UFT_EVENT) {
		call = uft_call_ended(l);
		if (l->rec.addr != UFT_EVENT_SCHED_IN)
			return 0;
		return add_call(t, l,
				call && call->addr == UFT_EVENT_SCHED_OUT_PREEMPT
					? "linux:schedule (pre-empted)"
					: "linux:schedule",
				NULL);
	}
	s = uft_walk_rec_sym(w, l, &l->rec);
	seen_of(t, l)->func = s;
	if (!uft_walk_hides_libcall(w, s))
		TRY(add_function(t, w, l, l->rec.time_ns, l->rec.addr));
	uft_settle(w, l);
	return 0;
}

int uft_tally_functions(struct uft_tally *t, struct uft_walk *w)
{
	struct uft_lane *l;

	TRY(begin(t, w));
	while ((l = uft_walk_next(w))) {
		if (l->rec.type != UFT_LOST)
			seen_of(t, l)->last_ns = l->rec.time_ns;
		if (!uft_walk_wants(w, l) || !uft_decide(w, l, NULL))
			continue;
		if (l->rec.type == UFT_ENTRY)
			uft_settle(w, l);
		else if (l->rec.type == UFT_LOST)
			TRY(add_lost(t, w, l));
		else
			TRY(add_end(t, w, l));
	}
	for (size_t i = 0; i < w->n_lanes; i++)
		TRY(add_open(t, w, &w->lanes[i], false));
	finish(t);
	return 0;
}

/*
 * A task sleeps or comes back; also_preempted: it was preempted, too. False: the record does not
 * count.
 */
static bool count_idle(struct uft_lane *l, bool also_preempted)
{
	struct uft_task *task = l->task;

	if (l->rec.type != UFT_EVENT)
		return true;
	if (l->rec.addr == UFT_EVENT_SCHED_OUT ||
	    (also_preempted && l->rec.addr == UFT_EVENT_SCHED_OUT_PREEMPT)) {
		if (task)
			task->stamp_ns = l->rec.time_ns;
		return false;
	}
	if (l->rec.addr != UFT_EVENT_SCHED_IN)
		return false;
	if (task && task->stamp_ns)
		task->idle_ns += l->rec.time_ns - task->stamp_ns;
	if (task)
		task->stamp_ns = 0;
	return true;
}

int uft_tally_tasks(struct uft_tally *t, struct uft_walk *w)
{
	struct uft_lane *l;

	TRY(begin(t, w));
	while ((l = uft_walk_next(w))) {
		char name[16];

		if (l->rec.type == UFT_ENTRY || l->rec.type == UFT_LOST)
			continue;
		if (!uft_walk_wants(w, l) || !uft_decide(w, l, NULL))
			continue;
		seen_of(t, l)->last_ns = l->rec.time_ns;
		if (!count_idle(l, false))
			continue;
		snprintf(name, sizeof(name), "%d", l->tid);
		TRY(add_call(t, l, name, NULL));
	}
	for (size_t i = 0; i < w->n_lanes; i++)
		TRY(add_open(t, w, &w->lanes[i], true));
	finish(t);
	for (size_t i = 0; i < t->n; i++) {
		struct uft_row *row = t->rows[i];

		row->total = row->self;
		row->self = (struct uft_times){.sum = row->total.sum -
						      (row->task ? row->task->idle_ns : 0)};
	}
	return 0;
}

void uft_tally_spans(struct uft_walk *w)
{
	struct uft_lane *l;

	while ((l = uft_walk_next(w))) {
		struct uft_task *task = l->task;

		if (!task || l->rec.type == UFT_LOST || !uft_walk_wants(w, l) ||
		    !uft_decide(w, l, NULL))
			continue;
		count_idle(l, true);
		if (!task->first_ns)
			task->first_ns = l->rec.time_ns;
		task->run_ns = l->rec.time_ns - task->first_ns;
		uft_settle(w, l);
	}
}
