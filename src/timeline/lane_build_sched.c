// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_build_sched.c - lanes of CPUs and of tasks.
 *
 * With sched_switch in the trace a CPU's lane is the index's list of switches, and a task's lane what states.c
 * makes of it. Without, all that is known is who caused the events: then a run of events of one task on
 * a CPU is a span from the first to the last of them, open at both ends, because when the task came
 * and went is not told. The idle task has no spans.
 */
#include "timeline/lane_int.h"

#include <errno.h>
#include <stdlib.h>

/* --- without switches: runs of events ------------------------------------------------------------------- */

struct run {
	uint64_t start, end;
	uint16_t task, cpu;
};

struct runs {
	struct timeline *tl;
	uint16_t only; /* TIMELINE_NO_TASK: all */
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

	if (last && r->is_open && last->task == ev->task) {
		last->end = ev->ts;
		return true;
	}
	r->is_open = ev->task != r->idle && ev->task != TIMELINE_NO_TASK &&
		     (r->only == TIMELINE_NO_TASK || ev->task == r->only);
	if (!r->is_open)
		return true;
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 256;
		struct run *more = realloc(r->runs, cap * sizeof(*more));

		if (!more) {
			r->failed = true;
			return false;
		}
		r->runs = more;
		r->cap = cap;
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

static int compare_runs(const void *a, const void *b)
{
	uint64_t x = ((const struct run *)a)->start, y = ((const struct run *)b)->start;

	return (x > y) - (x < y);
}

static int add_runs(struct lane *ln, const struct runs *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct run *run = &r->runs[i];
		bool is_task = ln->kind == LANE_STATES;
		int e = lane_add_span(
			ln, 0, run->start, run->end, is_task ? (uint32_t)STATE_RUNNING : run->task,
			TILE_OPEN_START | TILE_OPEN_END, state_aux(run->cpu, -1, false));

		if (e < 0)
			return e;
	}
	return lane_finish_rows(ln);
}

/* The stream with most events, where a CPU has several. */
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

/* --- lanes ------------------------------------------------------------------------------------------------ */

/* The events that begin and end spans; of a CPU only the first. */
static int take_sched_kinds(struct lane *ln)
{
	static const struct spec_event events[] = {
		{"sched", "sched_switch"},	 {"sched", "sched_waking"},
		{"sched", "sched_wakeup"},	 {"sched", "sched_wakeup_new"},
		{"sched", "sched_process_fork"}, {"task", "task_newtask"},
	};
	size_t n_events = ln->kind == LANE_CPU ? 1 : sizeof(events) / sizeof(events[0]), n;
	int r = 0;

	for (size_t i = 0; i < n_events && !r; i++)
		r = lane_take_kinds(ln, &ln->kinds, &events[i], &n);
	return r;
}

int lane_build_cpu(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	struct sched_streams ss;
	int r = lane_take_streams(ln, ln->spec.machine, ln->spec.number);

	if (r < 0)
		return r;
	if (!ln->n_streams && ln->is_whole)
		return errmsg_set(err, -EINVAL,
				  "The trace has nothing of CPU %llu of machine %u; choose one of "
				  "those that the list of lanes shows.",
				  (unsigned long long)ln->spec.number, ln->spec.machine);
	r = sched_streams_init(&ss, tl, ln->spec.machine);
	if (r < 0)
		return r;
	ln->sched_stream = sched_streams_find(&ss, tl, ln->spec.number);
	sched_streams_release(&ss);
	if (ln->sched_stream >= 0) {
		r = take_sched_kinds(ln);
		return r < 0 ? r : lane_finish_switches(ln);
	}
	return timeline_has_sched(tl, ln->spec.machine) ? 0 : build_runs(ln, TIMELINE_NO_TASK);
}

static uint8_t state_flags(const struct state_span *s)
{
	return (s->open_start ? TILE_OPEN_START : 0) | (s->open_end ? TILE_OPEN_END : 0) |
	       (s->state == STATE_RUNNABLE && s->waker >= 0 ? TILE_WAKER : 0) |
	       (s->state == STATE_PREEMPTED ? TILE_PREEMPTED : 0);
}

static int add_span_of(struct lane *ln, const struct state_span *s)
{
	return lane_add_span(ln, 0, s->start, s->end, s->state, state_flags(s),
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
	uint8_t *bits = calloc(1, (UINT16_MAX + 1) / 8);
	int r = bits ? take_sched_kinds(ln) : -ENOMEM;

	if (!r) {
		bit_set(bits, task);
		r = states_pass(ln->owner->tl, NULL, ln->spec.machine, bits, 0, TIMELINE_TIME_MAX,
				add_to_one, &one);
	}
	free(bits);
	if (!r)
		r = one.error;
	return r < 0 ? r : lane_finish_rows(ln);
}

int lane_build_task(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;
	int task = timeline_find_task(tl, ln->spec.machine, ln->spec.number), r;

	ln->has_aux = true;
	if (!ln->spec.number)
		return errmsg_set(
			err, -EINVAL,
			"The idle task (pid 0) runs on many CPUs at once and has no lane; "
			"look at the lanes of the CPUs.");
	if (task < 0 && !ln->is_whole)
		return 0;
	if (task < 0)
		return errmsg_set(err, -EINVAL, "The trace has no task %llu on machine %u.",
				  (unsigned long long)ln->spec.number, ln->spec.machine);
	r = lane_take_streams(ln, ln->spec.machine, -1);
	if (r < 0)
		return r;
	if (!timeline_has_sched(tl, ln->spec.machine))
		return build_runs(ln, task);
	return build_states(ln, task);
}

/* --- many tasks ------------------------------------------------------------------------------------------- */

struct task_lanes {
	struct prepared_lane **by_task;
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

/* A lane ready to be filled, if there is such a task. */
static void prepare_lane(struct lanes *ls, struct task_lanes *tls, uint8_t *bits,
			 struct prepared_lane *p)
{
	int task = timeline_find_task(ls->tl, p->spec.machine, p->spec.number);

	if (task < 0 || !p->spec.number)
		return;
	p->lane = lane_new(ls, &p->spec);
	if (!p->lane)
		return;
	p->lane->has_aux = true;
	if (lane_take_streams(p->lane, p->spec.machine, -1) < 0 || take_sched_kinds(p->lane) < 0) {
		drop_lane(p);
		return;
	}
	tls->by_task[task] = p;
	bit_set(bits, task);
}

void lane_build_tasks(struct lanes *ls, uint32_t machine, struct prepared_lane *list, size_t n)
{
	struct task_lanes tls = {calloc(UINT16_MAX + 1, sizeof(*tls.by_task))};
	uint8_t *bits = calloc(1, (UINT16_MAX + 1) / 8);
	uint64_t begin = lane_now_ns();
	bool failed = !tls.by_task || !bits || !timeline_has_sched(ls->tl, machine);

	for (size_t i = 0; i < n && !failed; i++)
		if (list[i].spec.type == LANE_OF_TASK && list[i].spec.machine == machine)
			prepare_lane(ls, &tls, bits, &list[i]);
	if (!failed &&
	    states_pass(ls->tl, NULL, machine, bits, 0, TIMELINE_TIME_MAX, add_state, &tls) < 0)
		failed = true;
	for (size_t i = 0; i < n; i++) {
		if (list[i].spec.type != LANE_OF_TASK || list[i].spec.machine != machine ||
		    !list[i].lane)
			continue;
		if (failed || lane_finish_rows(list[i].lane) < 0)
			drop_lane(&list[i]);
		else
			lane_settle(list[i].lane, begin);
	}
	free(tls.by_task);
	free(bits);
}
