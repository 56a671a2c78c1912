// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * statetables.c - the tables thread_state and sched: what tasks did, as the viewer shows it.
 *
 *	thread_state   Running, R, R+, S, D, T, I, X or unknown; each from ts for dur
 *	sched          the rows of thread_state with Running, and how each ended
 *
 * They come from timeline/states, so a sum over thread_state is what `sonde states` prints. A state
 * that the end of the recording cuts has is_open 1, and lasts until then: Perfetto's -1 would make
 * sums wrong. Idle tasks have no rows.
 */
#include "query/tables/tables.h"

#include "decode/taskstate.h"
#include "timeline/states/states.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

#define TASKS_MAX 65536

struct filling {
	struct list_rows *rows;
	struct timeline *tl;
	uint64_t origin;
	bool only_running;
	/* by task: its last row, plus 1, whose end is not known yet */
	size_t *last;
	int error;
};

enum { STATE_ID, STATE_TS, STATE_DUR, SCHED_END_STATE = 5 };

static const char *state_name(enum task_state s)
{
	static const char *const names[STATES_N] = {
		[STATE_RUNNING] = "Running", [STATE_RUNNABLE] = "R", [STATE_PREEMPTED] = "R+",
		[STATE_SLEEPING] = "S",	     [STATE_BLOCKED] = "D",  [STATE_STOPPED] = "T",
		[STATE_IDLE] = "I",	     [STATE_DEAD] = "X",
	};

	return s < STATES_N && names[s] ? names[s] : "unknown";
}

static int64_t utid_of(const struct timeline *tl, int task)
{
	const struct timeline_task *t = task >= 0 ? timeline_task(tl, (size_t)task) : NULL;

	return t ? query_utid(t->machine, t->pid) : LIST_NULL;
}

static void add_state(void *ctx, uint16_t task, const struct state_span *s)
{
	struct filling *f = ctx;
	bool is_running = s->state == STATE_RUNNING, is_woken = s->state == STATE_RUNNABLE;

	if (f->error < 0)
		return;
	f->error = list_add(
		f->rows, (int64_t[]){0, (int64_t)(f->origin + s->start),
				     (int64_t)(s->end - s->start), is_running ? s->cpu : LIST_NULL,
				     utid_of(f->tl, task), list_static(state_name(s->state)),
				     is_woken ? utid_of(f->tl, s->waker) : LIST_NULL,
				     is_woken && s->waker >= 0 ? s->waker_in_irq : LIST_NULL,
				     LIST_NULL, 0, is_running ? s->cpu : LIST_NULL, s->open_end});
}

static void add_turn(void *ctx, uint16_t task, const struct state_span *s)
{
	struct filling *f = ctx;

	if (f->error < 0)
		return;
	if (f->last[task]) {
		size_t row = f->last[task] - 1;

		f->rows->cells[row * f->rows->n_columns + SCHED_END_STATE] =
			list_static(state_name(s->state));
		f->last[task] = 0;
	}
	if (s->state != STATE_RUNNING)
		return;
	f->error = list_add(f->rows,
			    (int64_t[]){0, (int64_t)(f->origin + s->start),
					(int64_t)(s->end - s->start), s->cpu, utid_of(f->tl, task),
					0, LIST_NULL, s->cpu, s->open_end});
	f->last[task] = f->rows->n;
}

static int fill(struct list_rows *rows, void (*add)(void *, uint16_t, const struct state_span *))
{
	struct filling f = {.rows = rows};
	int r;

	r = query_trace_index(rows->trace);
	if (r < 0)
		return r;
	f.tl = rows->trace->tl;
	f.origin = timeline_origin(f.tl);
	f.last = calloc(TASKS_MAX, sizeof(*f.last));
	if (!f.last)
		return -ENOMEM;
	r = task_states_each(f.tl, 0, UINT64_MAX, add, &f);
	free(f.last);
	if (r >= 0)
		r = f.error;
	return r < 0 ? r : list_sort(rows, STATE_TS, STATE_ID);
}

static int fill_states(struct list_rows *rows, const struct list_args *args)
{
	return fill(rows, add_state);
}

static int fill_sched(struct list_rows *rows, const struct list_args *args)
{
	return fill(rows, add_turn);
}

const struct list_table state_tables[] = {
	{.name = "thread_state",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"state", LIST_TEXT},
		     {"waker_utid", LIST_INTEGER},
		     {"irq_context", LIST_INTEGER},
		     {"io_wait", LIST_INTEGER},
		     {"blocked_function", LIST_TEXT},
		     {"ucpu", LIST_INTEGER},
		     {"is_open", LIST_INTEGER}},
	 .fill = fill_states,
	 .sorted = STATE_TS,
	 .what = "what each task did: Running, R, R+, S, D, T, I, X, unknown"},
	{.name = "sched",
	 .columns = {{"id", LIST_INTEGER},
		     {"ts", LIST_INTEGER},
		     {"dur", LIST_INTEGER},
		     {"cpu", LIST_INTEGER},
		     {"utid", LIST_INTEGER},
		     {"end_state", LIST_TEXT},
		     {"priority", LIST_INTEGER},
		     {"ucpu", LIST_INTEGER},
		     {"is_open", LIST_INTEGER}},
	 .fill = fill_sched,
	 .sorted = STATE_TS,
	 .what = "the turns of tasks on CPUs"},
	{0},
};
