// SPDX-License-Identifier: GPL-2.0-or-later
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
	map_release(&t->by_name);
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

/* Adds the call whose frame has just ended. */
static int add_call(struct uft_tally *t, struct uft_reader *r, const char *name,
		    const struct uft_dbg *place)
{
	struct uft_frame *f = uft_frame_at(r, r->n_frames);
	struct uft_row *row = take_row(t, name);
	bool is_nested = false;

	if (!row)
		return -ENOMEM;
	if (!f)
		return 0;
	for (int i = 0; i < r->n_frames && !is_nested; i++)
		is_nested = uft_frame_at(r, i) && uft_frame_at(r, i)->addr == f->addr;
	add_time(&row->total, f->total_ns, is_nested);
	add_time(&row->self, f->total_ns - f->child_ns, false);
	row->n_calls++;
	row->place = place;
	row->task = r->task;
	if (r->func)
		row->size = r->func->size;
	return 0;
}

static int add_function(struct uft_tally *t, struct uft_walk *w, struct uft_reader *r,
			uint64_t time_ns, uint64_t addr)
{
	const struct uft_sym *s = uft_walk_sym(w, r, time_ns, addr);
	char text[24];

	snprintf(text, sizeof(text), "<%" PRIx64 ">", addr);
	if (!uft_is_sched(addr))
		r->func = s;
	return add_call(t, r, s ? s->name : text,
			t->srcline && s && s->dbg && s->dbg->file ? s->dbg : NULL);
}

/* Calls of a task that are open at the end. is_task: counts for its row. */
static int add_open(struct uft_tally *t, struct uft_walk *w, struct uft_reader *r, bool is_task)
{
	uint64_t last = is_task && !w->c.range_stop_ns ? r->timestamp_last : uft_walk_last(w, r);
	char name[16];

	snprintf(name, sizeof(name), "%d", r->tid);
	while (r->frames && --r->n_frames >= 0) {
		struct uft_frame *f = uft_frame_at(r, r->n_frames);

		if (!f || f->total_ns > last || (is_task && !f->addr))
			continue;
		f->total_ns = last - f->total_ns;
		if (f->child_ns > f->total_ns)
			f->total_ns = f->child_ns;
		if (r->n_frames > 0)
			f[-1].child_ns += f->total_ns;
		if (is_task)
			TRY(add_call(t, r, name, NULL));
		else
			TRY(add_function(t, w, r, last, f->addr));
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
static int add_lost(struct uft_tally *t, struct uft_walk *w, struct uft_reader *r)
{
	while (r->n_frames >= r->n_user && r->n_frames >= 0) {
		struct uft_frame *f = uft_frame_at(r, r->n_frames);

		if (w->enabled && f && f->is_valid && !(f->flags & UFT_FRAME_HIDDEN))
			TRY(add_function(t, w, r, r->timestamp_last, f->addr));
		uft_walk_leave(r);
		r->n_frames--;
	}
	r->n_frames = r->n_frames < 0 ? 0 : r->n_frames;
	return 0;
}

/* The end of a call, or a task that runs again. */
static int add_end(struct uft_tally *t, struct uft_walk *w, struct uft_reader *r)
{
	const struct uft_sym *s;
	struct uft_frame *f;

	if (r->rec.type == UFT_EVENT) {
		f = uft_frame_at(r, r->n_frames);
		if (r->rec.addr != UFT_EVENT_SCHED_IN)
			return 0;
		return add_call(t, r,
				f && f->addr == UFT_EVENT_SCHED_OUT_PREEMPT
					? "linux:schedule (pre-empted)"
					: "linux:schedule",
				NULL);
	}
	s = uft_walk_rec_sym(w, r, &r->rec);
	r->func = s;
	if (!w->c.no_libcall || !s || s->type != UFT_SYM_PLT)
		TRY(add_function(t, w, r, r->rec.time_ns, r->rec.addr));
	uft_walk_checked(w, r);
	return 0;
}

int uft_tally_functions(struct uft_tally *t, struct uft_walk *w)
{
	struct uft_reader *r;

	while ((r = uft_walk_next(w))) {
		if (r->rec.type != UFT_LOST)
			r->timestamp_last = r->rec.time_ns;
		if (!uft_walk_allows(w, r) || !uft_walk_check(w, r))
			continue;
		if (r->rec.type == UFT_ENTRY)
			uft_walk_checked(w, r);
		else if (r->rec.type == UFT_LOST)
			TRY(add_lost(t, w, r));
		else
			TRY(add_end(t, w, r));
	}
	for (size_t i = 0; i < w->n_readers; i++)
		TRY(add_open(t, w, &w->readers[i], false));
	finish(t);
	return 0;
}

/* A task sleeps or comes back; a preemption is no sleep. False: the record does not count. */
static bool count_idle(struct uft_reader *r)
{
	struct uft_task *task = r->task;

	if (r->rec.type != UFT_EVENT)
		return true;
	if (r->rec.addr == UFT_EVENT_SCHED_OUT) {
		if (task)
			task->stamp_ns = r->rec.time_ns;
		return false;
	}
	if (r->rec.addr != UFT_EVENT_SCHED_IN)
		return false;
	if (task && task->stamp_ns)
		task->idle_ns += r->rec.time_ns - task->stamp_ns;
	if (task)
		task->stamp_ns = 0;
	return true;
}

int uft_tally_tasks(struct uft_tally *t, struct uft_walk *w)
{
	struct uft_reader *r;

	while ((r = uft_walk_next(w))) {
		char name[16];

		if (r->rec.type == UFT_ENTRY || r->rec.type == UFT_LOST)
			continue;
		if (!uft_walk_allows(w, r) || !uft_walk_check(w, r))
			continue;
		r->timestamp_last = r->rec.time_ns;
		if (!count_idle(r))
			continue;
		snprintf(name, sizeof(name), "%d", r->tid);
		TRY(add_call(t, r, name, NULL));
	}
	for (size_t i = 0; i < w->n_readers; i++)
		TRY(add_open(t, w, &w->readers[i], true));
	finish(t);
	for (size_t i = 0; i < t->n; i++) {
		struct uft_row *row = t->rows[i];

		row->total = row->self;
		row->self = (struct uft_times){.sum = row->total.sum -
						      (row->task ? row->task->idle_ns : 0)};
	}
	return 0;
}
