// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sched.c - builds lanes of CPUs and of tasks.
 *
 * If the trace has sched_switch, a CPU's lane is the index's list of switches, and a task's lane is
 * made by states.c. Otherwise only the tasks of the events are known. Then consecutive events of
 * one task on a CPU are a span from the first to the last of them. The span is open at both ends,
 * because the task's start and end are unknown. Between two distant events the task may have run
 * elsewhere, so the span ends there. The idle task has no spans.
 *
 * In a growing trace, a lane copies the settled part of its previous version (lane.settled), so
 * that only new data is processed.
 */
#include "decode/taskstate.h"
#include "timeline/lanes/lane_int.h"

#include "base/clock.h"
#include "base/array.h"
#include "base/scope.h"
#include <errno.h>
#include <stdlib.h>

/* --- without switches: runs of events --------------------------------------------------------- */

#define RUN_GAP_NS 10000000 /* after this time without an event, the task may no longer run */

struct run {
	uint64_t start, end;
	uint16_t task, cpu;
};

struct runs {
	struct timeline *tl;
	uint16_t only; /* the only task; TIMELINE_NO_TASK: all */
	int idle;
	struct run *runs;
	size_t n, cap;
	bool failed, is_open;
	uint16_t cpu;
};

static bool run_event(void *ctx, const struct walk_event *ev)
{
	struct runs *r = ctx;
	struct run *last = r->n ? &r->runs[r->n - 1] : NULL;

	if (last && r->is_open && last->task == ev->task && ev->ts - last->end < RUN_GAP_NS) {
		last->end = ev->ts;
		return true;
	}
	r->is_open = ev->task != r->idle && ev->task != TIMELINE_NO_TASK &&
		     (r->only == TIMELINE_NO_TASK || ev->task == r->only);
	if (!r->is_open)
		return true;
	if (!ARRAY_ROOM(r->runs, r->cap, r->n + 1, ARRAY_NO_MAX)) {
		r->failed = true;
		return false;
	}
	r->runs[r->n++] = (struct run){ev->ts, ev->ts, ev->task, r->cpu};
	return true;
}

static int walk_runs(struct lane *ln, struct runs *r, size_t stream)
{
	struct walk_wants wants = {.to = TIMELINE_TIME_MAX};
	bool whole;
	int e;

	r->is_open = false;
	r->cpu = timeline_stream(r->tl, stream)->cpu;
	e = timeline_walk(r->tl, stream, &wants, run_event, r, &whole);
	return e < 0 ? e : r->failed ? -ENOMEM : 0;
}

ARRAY_ORDER(compare_runs, struct run, COMPARE(x->start, y->start))

static int add_runs(struct lane *ln, const struct runs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct run *run = &r->runs[i];
		bool is_task = ln->kind == LANE_STATES;
		int e = lane_add_span(
			ln, 0, run->start, run->end, is_task ? (uint32_t)STATE_RUNNING : run->task,
			TILE_OPEN_START | TILE_OPEN_END, state_aux(run->cpu, -1, false));

		TRY(e);
	}
	return lane_finish_rows(ln);
}

/* Returns the stream with most events, if a CPU has several. */
static size_t fullest_stream(const struct lane *ln)
{
	struct timeline *tl = ln->owner->tl;
	size_t best = ln->streams[0];

	for (size_t i = 1; i < ln->n_streams; i++)
		if (timeline_stream(tl, ln->streams[i])->n_events >
		    timeline_stream(tl, best)->n_events)
			best = ln->streams[i];
	return best;
}

static int build_runs(struct lane *ln, uint16_t only)
{
	struct timeline *tl = ln->owner->tl;
	struct runs r = {.tl = tl, .only = only};
	int e = 0;

	r.idle = timeline_find_task(tl, ln->spec.machine, 0);
	if (only == TIMELINE_NO_TASK) {
		if (ln->n_streams)
			e = walk_runs(ln, &r, fullest_stream(ln));
	} else {
		for (size_t i = 0; i < ln->n_streams && !e; i++)
			e = walk_runs(ln, &r, ln->streams[i]);
		if (r.n)
			qsort(r.runs, r.n, sizeof(*r.runs), compare_runs);
	}
	if (!e)
		e = add_runs(ln, &r);
	free(r.runs);
	return e;
}

/* --- lanes ------------------------------------------------------------------------------------ */

/* Finds the events that begin and end spans; for a CPU, only those that begin them. */
static int take_sched_kinds(struct lane *ln)
{
	static const struct spec_event events[] = {
		{"sched", "sched_switch"},	 {"sched", "sched_waking"},
		{"sched", "sched_wakeup"},	 {"sched", "sched_wakeup_new"},
		{"sched", "sched_process_fork"}, {"task", "task_newtask"},
	};
	size_t n_events = ln->kind == LANE_CPU ? 1 : ARRAY_LEN(events), n;
	int r = 0;

	for (size_t i = 0; i < n_events && !r; i++)
		r = lane_take_kinds(ln, &ln->kinds, &events[i], &n);
	return r;
}

static bool look_who(void *ctx, const struct switch_entry *e)
{
	struct lane *ln = ctx;

	if (e->ts < ln->settled)
		ln->settled_by = *e;
	return e->ts < ln->settled;
}

/*
 * Returns the task that ran at a time, according to the present data. A gap that is detected later
 * may begin earlier.
 */
static struct switch_entry who_ran(const struct lane *ln, uint64_t t)
{
	struct lane at = {.settled = t};

	timeline_turns(ln->owner->tl, ln->sched_stream, t, t, look_who, &at);
	return at.settled_by;
}

static void settle_cpu(struct lane *ln)
{
	const struct lane *before = ln->taken_from;
	struct switch_entry then;

	if (before && before->sched_stream == ln->sched_stream) {
		then = who_ran(ln, before->settled);
		if (then.ts != before->settled_by.ts || then.next != before->settled_by.next)
			ln->taken_from = NULL;
	} else {
		ln->taken_from = NULL;
	}
	ln->settled_by = who_ran(ln, ln->settled);
}

int lane_build_cpu(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	struct sched_streams ss;
	int r;

	TRY(lane_take_streams(ln, ln->spec.machine, ln->spec.number));
	if (!ln->n_streams && ln->is_whole)
		return errmsg_set(err, -EINVAL,
				  "The trace has no data of CPU %llu of machine %u; choose a CPU "
				  "from the list of lanes.",
				  (unsigned long long)ln->spec.number, ln->spec.machine);
	r = sched_streams_init(&ss, tl, ln->spec.machine);
	TRY(r);
	ln->sched_stream = sched_streams_find(&ss, tl, ln->spec.number);
	sched_streams_release(&ss);
	if (ln->sched_stream >= 0) {
		settle_cpu(ln);
		r = take_sched_kinds(ln);
		return r < 0 ? r : lane_finish_switches(ln);
	}
	return timeline_has_sched(tl, ln->spec.machine) ? 0 : build_runs(ln, TIMELINE_NO_TASK);
}

static int add_span_of(struct lane *ln, const struct state_span *s)
{
	uint8_t flags;

	if (s->end == s->start || (ln->taken_from && s->end < ln->taken_until))
		return 0;
	flags = lane_state_flags(ln, s);
	ln->has_lost |= flags & TILE_MISSED;
	return lane_add_span(ln, 0, s->start, s->end, s->state, flags,
			     state_aux(s->cpu, s->waker, s->waker_in_irq));
}

struct one_task {
	struct lane *ln;
	int error;
};

static void add_to_one(void *ctx, uint16_t task, const struct task_track *t,
		       const struct state_span *s, enum task_state next)
{
	struct one_task *one = ctx;
	int r = one->error ? 0 : add_span_of(one->ln, s);

	if (r < 0)
		one->error = r;
}

static int build_states(struct lane *ln, uint16_t task)
{
	struct one_task one = {.ln = ln};
	SCOPED(scope_free) uint8_t *bits = calloc(1, (UINT16_MAX + 1) / 8);

	TRY(bits ? take_sched_kinds(ln) : -ENOMEM);
	if (ln->taken_from)
		TRY(lane_take_spans(ln));
	bit_set(bits, task);
	TRY(states_pass(ln->owner->tl, ln->taken_from ? ln->owner->states : NULL, ln->spec.machine,
			bits, ln->taken_from ? ln->taken_until : 0, TIMELINE_TIME_MAX, add_to_one,
			&one));
	TRY(one.error);
	return lane_finish_rows(ln);
}

int lane_build_task(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	int task = timeline_find_task(tl, ln->spec.machine, ln->spec.number);

	ln->has_aux = true;
	if (!ln->spec.number)
		return errmsg_set(
			err, -EINVAL,
			"The idle task (pid 0) runs on many CPUs at once and has no lane; "
			"use the lanes of the CPUs.");
	if (task < 0 && !ln->is_whole)
		return 0;
	if (task < 0)
		return errmsg_set(err, -EINVAL, "The trace has no task %llu on machine %u.",
				  (unsigned long long)ln->spec.number, ln->spec.machine);
	TRY(lane_take_streams(ln, ln->spec.machine, -1));
	if (!timeline_has_sched(tl, ln->spec.machine))
		return build_runs(ln, task);
	return build_states(ln, task);
}

/* --- many tasks ------------------------------------------------------------------------------- */

struct task_lanes {
	struct prepared_lane **by_task;
	uint8_t *bits;
	uint64_t from;
};

static void drop_lane(struct prepared_lane *p)
{
	lane_free(p->lane);
	p->lane = NULL;
}

static void add_state(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *s, enum task_state next)
{
	struct prepared_lane *p = ((struct task_lanes *)ctx)->by_task[task];

	if (p && p->lane && add_span_of(p->lane, s) < 0)
		drop_lane(p);
}

/*
 * Prepares a lane for filling, if the task exists. If goes_on is true, only lanes that extend a
 * previous version; otherwise only the others.
 */
static void prepare_lane(struct lanes *ls, struct task_lanes *tls, struct prepared_lane *p,
			 bool goes_on)
{
	int task = timeline_find_task(ls->tl, p->spec.machine, p->spec.number);

	if (task < 0 || !p->spec.number || p->lane)
		return;
	p->lane = lane_new(ls, &p->spec);
	if (!p->lane)
		return;
	lane_go_on(p->lane, p->before);
	p->lane->has_aux = true;
	if (!p->lane->taken_from == goes_on ||
	    lane_take_streams(p->lane, p->spec.machine, -1) < 0 || take_sched_kinds(p->lane) < 0 ||
	    (goes_on && lane_take_spans(p->lane) < 0)) {
		drop_lane(p);
		return;
	}
	if (goes_on && p->lane->taken_until < tls->from)
		tls->from = p->lane->taken_until;
	tls->by_task[task] = p;
	bit_set(tls->bits, task);
}

static void build_some(struct lanes *ls, uint32_t machine, struct prepared_lane *list, size_t n,
		       bool goes_on)
{
	struct task_lanes tls = {.by_task = calloc(UINT16_MAX + 1, sizeof(*tls.by_task)),
				 .bits = calloc(1, (UINT16_MAX + 1) / 8),
				 .from = goes_on ? TIMELINE_TIME_MAX : 0};
	uint64_t begin = clock_now_ns();
	bool failed = !tls.by_task || !tls.bits, any = false;

	for (size_t i = 0; i < n && !failed; i++)
		if (list[i].spec.type == LANE_OF_TASK && list[i].spec.machine == machine) {
			bool was = list[i].lane;

			prepare_lane(ls, &tls, &list[i], goes_on);
			any |= !was && list[i].lane;
		}
	if (any && states_pass(ls->tl, goes_on ? ls->states : NULL, machine, tls.bits, tls.from,
			       TIMELINE_TIME_MAX, add_state, &tls) < 0)
		failed = true;
	for (size_t i = 0; any && i <= UINT16_MAX; i++) {
		struct prepared_lane *p = tls.by_task[i];

		if (!p || !p->lane)
			continue;
		if (failed || lane_finish_rows(p->lane) < 0)
			drop_lane(p);
		else
			lane_settle(p->lane, begin);
	}
	free(tls.by_task);
	free(tls.bits);
}

/*
 * Builds lanes in two groups: lanes that extend a previous version need only new data; the others
 * need all data.
 */
void lane_build_tasks(struct lanes *ls, uint32_t machine, struct prepared_lane *list, size_t n)
{
	if (!timeline_has_sched(ls->tl, machine))
		return;
	build_some(ls, machine, list, n, true);
	build_some(ls, machine, list, n, false);
}
