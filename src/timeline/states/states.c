// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * states.c - derives the states of tasks from switches and wakings in time order.
 *
 *	           switch in         switch out           waking
 *	  asleep ────────────▶ running ───────▶ preempted
 *	    │  ▲                  │ ▲  └──────▶ asleep
 *	    │  └──────────────────┘ │
 *	    └───────▶ runnable ─────┘
 *	     waking
 *
 * The difficult case is a waking that comes while the task still runs. There are two reasons for
 * it:
 *
 *	1 the task had announced that it would sleep, and was woken before it did: it continues to
 *	  run, and its later states have nothing to do with this waking;
 *	2 it was about to leave the CPU: the switch, a moment later, has the state sleeping, but the
 *	  waking has already made it runnable, and no other waking will come.
 *
 * At first, the two cases cannot be distinguished. So the waking is noted. If the switch then has
 * the state sleeping, the task counts as runnable since the switch (2). If another waking comes
 * before the task runs, the task must have slept (the kernel does not wake a runnable task): then
 * it was case 1, and the guess is undone. A span is emitted only when it ends, so the guess is
 * never visible.
 *
 * Where records are missing, turns show that a task came or left unseen. Its state until then is
 * emitted with open_end, and the next state is unknown: a sleep without a recorded end is not
 * extended.
 *
 * A wait for a CPU while another CPU's data is missing (darktimes.h) is uncertain, too: the task
 * may have run on that CPU. The wait is certain if the task is then switched in on a CPU that was
 * never idle or dark since the wait began: it was in that CPU's queue. Otherwise the state is
 * unknown from the first dark moment on. The same applies if the task is woken again instead (the
 * kernel does not wake a runnable task), or does not appear again. If a range ends in such a wait,
 * the pass continues beyond its end until this is decided, so that it gives the same result as a
 * longer range.
 *
 * Recorders exclude themselves: a switch between two threads of a recorder is not recorded, so one
 * of them comes and the other leaves unseen. In that moment it is unknown which of them runs, but
 * it is one of them: a switch to any other task would be in the trace. Two tasks of one name around
 * a gap of less than STATES_HIDDEN_NS count as such threads.
 */
#include "base/scope.h"
#include "timeline/states/states_int.h"

#include "base/array.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FOLLOW_NS UINT64_C(10000000)

struct states_run {
	struct timeline *tl;
	const uint8_t *tasks;
	struct task_track *tracks;
	size_t n_tasks;
	uint64_t from, to, start; /* start: begin of the pass */
	struct dark_times dark;
	uint16_t *gone; /* by stream: the last task before data is missing */
	state_emit emit;
	const struct states_peek *peek; /* NULL: none */
	void *ctx;
};

static bool is_asleep(uint8_t state)
{
	return state >= STATE_SLEEPING && state <= STATE_IDLE;
}

/* Emits the current span, which ends at ts. */
static void close_span(struct states_run *r, uint16_t task, uint64_t ts, enum task_state next)
{
	struct task_track *t = &r->tracks[task];
	struct state_span s = t->cur;

	if (!t->is_known)
		return;
	s.end = ts < s.start ? s.start : ts;
	if (s.end > r->to) { /* later entries only decide whether the state is true until r->to */
		s.end = r->to;
		s.open_end = true;
		next = STATE_UNKNOWN;
	}
	/* emit the waking even if the state is unknown from that moment on */
	if (r->emit && s.end >= r->from &&
	    (s.end > s.start || (t->is_lost && s.state == STATE_RUNNABLE)))
		r->emit(r->ctx, task, t, &s, next);
}

static void open_span(struct task_track *t, uint64_t ts, enum task_state state, int32_t cpu)
{
	int32_t last_cpu = t->is_known ? t->cur.cpu : -1;

	t->cur = (struct state_span){.start = ts, .state = state, .waker = -1};
	t->cur.cpu = cpu >= 0 ? cpu : last_cpu;
	t->is_known = true;
	t->was_guessed = false;
	t->was_dark = false;
	t->is_lost = false;
}

static void make_runnable(struct task_track *t, uint64_t ts, int32_t waker, bool in_irq)
{
	open_span(t, ts, STATE_RUNNABLE, -1);
	t->cur.waker = waker;
	t->cur.waker_in_irq = in_irq;
}

/* Makes the state of the task unknown from ts on. */
static void lose(struct states_run *r, uint16_t task, uint64_t ts)
{
	struct task_track *t = &r->tracks[task];

	if (!t->is_known || t->cur.state == STATE_UNKNOWN)
		return;
	t->cur.open_end = true;
	t->is_lost = true;
	close_span(r, task, ts, STATE_UNKNOWN);
	open_span(t, ts < t->cur.start ? t->cur.start : ts, STATE_UNKNOWN, -1);
	t->is_woken = false;
}

struct likeness {
	const struct timeline *tl;
	uint16_t task;
};

static bool is_like(void *ctx, uint16_t of)
{
	const struct likeness *l = ctx;

	return !strcmp(timeline_task(l->tl, l->task)->comm, timeline_task(l->tl, of)->comm);
}

uint64_t states_dark_for(const struct timeline *tl, const struct dark_times *dark, uint16_t task,
			 uint64_t since)
{
	struct likeness l = {tl, task};

	return dark_times_find_for(dark, since, is_like, &l);
}

/* Notes that a turn begins or ends a time without data. */
static void note_dark(struct states_run *r, const struct sched_entry *e)
{
	bool is_dark = e->b == TIMELINE_NO_TASK, was_dark = r->dark.is_dark[e->stream];
	struct likeness l = {r->tl, e->b};
	uint16_t gone = r->gone[e->stream];

	dark_times_add(&r->dark, e->stream, is_dark, e->ts);
	if (is_dark)
		r->gone[e->stream] = e->a;
	else if (was_dark && !r->dark.n_dark && gone != TIMELINE_NO_TASK && gone != e->b &&
		 is_like(&l, gone))
		dark_times_limit(&r->dark, STATES_HIDDEN_NS, gone);
}

/*
 * Returns since when the task may have run on a CPU without data, or DARK_NEVER if it certainly
 * waits.
 */
static uint64_t doubt_of(const struct states_run *r, const struct task_track *t)
{
	uint16_t task = t - r->tracks;

	if (!t->is_known || (t->cur.state != STATE_RUNNABLE && t->cur.state != STATE_PREEMPTED))
		return DARK_NEVER;
	return t->was_dark ? t->dark_at : states_dark_for(r->tl, &r->dark, task, t->cur.start);
}

struct idle_search {
	uint64_t after, before;
	int idle;
	bool found;
};

static bool look_for_idle(void *ctx, const struct cpu_turn *turn)
{
	struct idle_search *s = ctx;

	s->found |= turn->ts > s->after && turn->ts < s->before &&
		    (turn->next == s->idle || turn->next == TIMELINE_NO_TASK);
	return !s->found && turn->ts < s->before;
}

/*
 * Returns true if the task's new CPU was idle or dark during the wait, so that the task was not in
 * that CPU's queue.
 */
static bool was_elsewhere(const struct states_run *r, const struct task_track *t,
			  const struct sched_entry *e)
{
	struct idle_search s = {.after = t->cur.start, .before = e->ts};
	uint16_t source = timeline_stream(r->tl, e->stream)->source;
	uint32_t machine = timeline_source(r->tl, source)->machine;

	if (e->idle_at > t->cur.start)
		return true;
	if (t->cur.start >= r->start)
		return false;
	s.idle = timeline_find_task(r->tl, machine, 0);
	cpu_turns(r->tl, machine, timeline_stream(r->tl, e->stream)->cpu, t->cur.start, e->ts,
		  look_for_idle, &s);
	return s.found;
}

static void switch_in(struct states_run *r, uint16_t task, const struct sched_entry *e, int32_t cpu)
{
	struct task_track *t = &r->tracks[task];
	uint64_t ts = e->ts, doubt = doubt_of(r, t);

	if (doubt < ts && was_elsewhere(r, t, e))
		lose(r, task, doubt);
	t->cur.open_end = t->is_known && t->cur.state == STATE_RUNNING;
	close_span(r, task, ts, STATE_RUNNING);
	open_span(t, ts, STATE_RUNNING, cpu);
	t->is_woken = false;
}

/*
 * Handles a task that runs although no switch shows its start. It started at the earliest when the
 * previous task had left.
 */
static void meet(struct states_run *r, uint16_t task, const struct sched_entry *e, int32_t cpu)
{
	struct task_track *t = &r->tracks[task];

	if (t->is_known && t->cur.state == STATE_RUNNING)
		t->cur.open_end = true;
	else
		lose(r, task, e->since > t->cur.start ? e->since : t->cur.start);
	close_span(r, task, e->ts, STATE_RUNNING);
	open_span(t, e->ts, STATE_RUNNING, cpu);
	t->cur.open_start = true;
	t->is_woken = false;
}

static void switch_out(struct states_run *r, uint16_t task, const struct sched_entry *e)
{
	struct task_track *t = &r->tracks[task];
	int32_t cpu = timeline_stream(r->tl, e->stream)->cpu;
	enum task_state said = e->detail, state = said;
	bool woken;

	if (said == STATE_RUNNABLE)
		said = state = STATE_PREEMPTED;
	if (t->is_known && (t->cur.state != STATE_RUNNING || t->cur.cpu != cpu))
		t->cur.open_end = true;
	woken = t->is_woken && is_asleep(said);
	if (woken)
		state = STATE_RUNNABLE;
	close_span(r, task, e->ts, state);
	open_span(t, e->ts, state, cpu);
	if (woken) {
		t->cur.waker = t->woken_by;
		t->cur.waker_in_irq = t->woken_in_irq;
		t->was_guessed = true;
		t->fallback = said;
	}
	t->is_woken = false;
}

static void waking(struct states_run *r, const struct sched_entry *e)
{
	struct task_track *t = &r->tracks[e->a];
	int32_t waker = e->b == TIMELINE_NO_TASK ? -1 : e->b;
	bool in_irq = e->detail & WAKING_IRQ, is_new = e->detail & WAKING_NEW;
	uint64_t doubt = t->cur.state == STATE_RUNNABLE ? doubt_of(r, t) : DARK_NEVER;

	if (t->is_known && t->cur.state == STATE_RUNNING) {
		t->is_woken = true;
		t->woken_by = waker;
		t->woken_in_irq = in_irq;
		t->woken_at = e->ts;
		return;
	}
	if (t->was_guessed) {
		t->cur.state = t->fallback;
		t->cur.waker = -1;
		t->cur.waker_in_irq = false;
	} else if (doubt < e->ts && !is_new) {
		lose(r, e->a, doubt);
	} else if (t->is_known && !is_new &&
		   (t->cur.state == STATE_RUNNABLE || t->cur.state == STATE_PREEMPTED)) {
		return;
	}
	close_span(r, e->a, e->ts, STATE_RUNNABLE);
	make_runnable(t, e->ts, waker, in_irq);
	t->woken_at = e->ts;
}

static bool is_wanted(const struct states_run *r, uint16_t task)
{
	return task < r->n_tasks && (!r->tasks || bit_get(r->tasks, task)) &&
	       timeline_task(r->tl, task)->pid;
}

/* Handles the end of the data of one CPU, or of the whole file. */
static void end_cpu(struct states_run *r, const struct sched_entry *e, int32_t cpu)
{
	for (size_t i = 0; i < r->n_tasks; i++) {
		const struct state_span *s = &r->tracks[i].cur;

		if (r->tracks[i].is_known && s->state != STATE_DEAD && is_wanted(r, i) &&
		    (e->end == TURN_FILE_ENDS || s->cpu == cpu))
			lose(r, i, e->ts);
	}
}

static void take_turn(struct states_run *r, const struct sched_entry *e)
{
	int32_t cpu = timeline_stream(r->tl, e->stream)->cpu;

	if (e->detail != STATE_UNKNOWN) {
		if (is_wanted(r, e->a))
			switch_out(r, e->a, e);
		if (is_wanted(r, e->b))
			switch_in(r, e->b, e, cpu);
		return;
	}
	if (is_wanted(r, e->a) && r->tracks[e->a].cur.state == STATE_RUNNING &&
	    r->tracks[e->a].cur.cpu == cpu)
		lose(r, e->a, e->ts);
	if (is_wanted(r, e->b))
		meet(r, e->b, e, cpu);
	if (e->end != TURN_GOES_ON)
		end_cpu(r, e, cpu);
}

static bool step_on(void *ctx, const struct sched_entry *e)
{
	struct states_run *r = ctx;

	if (r->peek)
		r->peek->peek(r->peek->ctx, e->ts, r->tracks, r->n_tasks, &r->dark);
	if (e->what == SCHED_WAKING) {
		if (is_wanted(r, e->a))
			waking(r, e);
		return true;
	}
	note_dark(r, e);
	take_turn(r, e);
	return true;
}

struct gap_search {
	uint64_t t, end;
	bool is_known;
};

static bool look_at_gap(void *ctx, const struct cpu_turn *turn)
{
	struct gap_search *g = ctx;

	if (turn->ts > g->t && !g->is_known)
		g->end = turn->ts;
	g->is_known = turn->next != TIMELINE_NO_TASK;
	return turn->ts <= g->t;
}

/*
 * Finds how far the pass must read. The first task after a gap shows what was unknown in the gap.
 * So if a gap is open at `to`, its end must be read; otherwise a range that ends in a gap would
 * give another result than a longer range.
 */
static int find_far(struct states_run *r, const struct sched_streams *ss, uint64_t *ret)
{
	*ret = r->to;
	for (size_t i = 0; i < ss->n_cpus; i++) {
		uint32_t cpu = timeline_stream(r->tl, ss->cpus[i])->cpu;
		struct gap_search g = {.t = r->to};

		if (cpu_turns(r->tl, ss->machine, cpu, r->to, TIMELINE_TIME_MAX, look_at_gap, &g) <
		    0)
			return -ENOMEM;
		*ret = g.end > *ret ? g.end : *ret;
	}
	return 0;
}

static bool look_before(void *ctx, const struct cpu_turn *turn)
{
	struct gap_search *g = ctx;

	if (turn->ts < g->t)
		g->is_known = turn->next != TIMELINE_NO_TASK;
	return turn->ts < g->t;
}

/* Finds the CPUs that are dark where the pass begins. */
static int find_dark(struct states_run *r, const struct sched_streams *ss)
{
	size_t n_streams = timeline_n_streams(r->tl);
	int err = dark_times_init(&r->dark, n_streams);

	r->gone = malloc((n_streams + 1) * sizeof(*r->gone));
	if (!r->gone)
		return -ENOMEM;
	for (size_t i = 0; i <= n_streams; i++)
		r->gone[i] = TIMELINE_NO_TASK;
	for (size_t i = 0; i < ss->n_cpus && !err && r->start; i++) {
		uint32_t cpu = timeline_stream(r->tl, ss->cpus[i])->cpu;
		struct gap_search g = {.t = r->start, .is_known = true};

		err = cpu_turns(r->tl, ss->machine, cpu, r->start, r->start, look_before, &g);
		if (!err && !g.is_known)
			dark_times_add(&r->dark, ss->cpus[i], true, r->start);
	}
	return err;
}

/* Returns true if a later entry decides the state of a task at r->to. */
static bool is_in_doubt(const struct states_run *r)
{
	for (size_t i = 0; i < r->n_tasks; i++) {
		const struct task_track *t = &r->tracks[i];

		if (t->is_known && t->cur.start <= r->to && is_wanted(r, i) &&
		    doubt_of(r, t) < r->to)
			return true;
	}
	return false;
}

static int follow(struct states_run *r, const struct sched_streams *ss, uint64_t far, uint64_t end)
{
	uint64_t step = FOLLOW_NS;
	int err = 0;

	while (far < end && !err && is_in_doubt(r)) {
		uint64_t next = end - far < step ? end : far + step;

		err = sched_pass(r->tl, ss, r->tasks, far + 1, next, step_on, r);
		far = next;
		step *= 4;
	}
	return err;
}

static int run(struct states_run *r, struct states_cache *sc, uint32_t machine)
{
	uint64_t end = timeline_duration(r->tl), far;
	struct sched_streams ss;
	int err = sched_streams_init(&ss, r->tl, machine);

	r->to = r->to > end ? end : r->to;
	r->n_tasks = timeline_n_tasks(r->tl);
	r->tracks = calloc(r->n_tasks + 1, sizeof(*r->tracks));
	if (!r->tracks)
		err = -ENOMEM;
	if (!err && sc)
		r->start = states_cache_load(sc, machine, r->from, r->tracks, r->n_tasks);
	if (!err && r->peek && r->peek->load) {
		r->start = r->peek->start;
		r->peek->load(r->peek->ctx, r->tracks, r->n_tasks);
	}
	if (!err)
		err = find_far(r, &ss, &far);
	if (!err)
		err = find_dark(r, &ss);
	if (!err)
		err = sched_pass(r->tl, &ss, r->tasks, r->start, far, step_on, r);
	if (!err)
		err = follow(r, &ss, far, end);
	for (size_t i = 0; !err && i < r->n_tasks; i++) {
		uint64_t doubt = doubt_of(r, &r->tracks[i]);

		if (!r->tracks[i].is_known || !is_wanted(r, i))
			continue;
		if (doubt < r->to)
			lose(r, i, doubt);
		r->tracks[i].cur.open_end = true;
		close_span(r, i, r->to, STATE_UNKNOWN);
	}
	if (!err && r->dark.failed)
		err = -ENOMEM;
	dark_times_release(&r->dark);
	free(r->gone);
	free(r->tracks);
	sched_streams_release(&ss);
	return err;
}

int states_pass(struct timeline *tl, struct states_cache *sc, uint32_t machine,
		const uint8_t *tasks, uint64_t from, uint64_t to, state_emit emit, void *ctx)
{
	struct states_run r = {
		.tl = tl, .tasks = tasks, .emit = emit, .ctx = ctx, .from = from, .to = to};

	return run(&r, sc, machine);
}

int states_pass_peek(struct timeline *tl, uint32_t machine, const struct states_peek *peek)
{
	struct states_run r = {.tl = tl, .peek = peek, .to = TIMELINE_TIME_MAX};

	return run(&r, NULL, machine);
}

/* --- all of them ------------------------------------------------------------------------------ */

struct handing_on {
	void (*each)(void *ctx, uint16_t task, const struct state_span *span);
	void *ctx;
	uint64_t from;
};

static void hand_on(void *ctx, uint16_t task, const struct task_track *t,
		    const struct state_span *s, enum task_state next)
{
	const struct handing_on *h = ctx;
	struct state_span cut = *s;

	if (cut.start < h->from) {
		cut.start = h->from;
		cut.open_start = true;
	}
	if (cut.end > cut.start)
		h->each(h->ctx, task, &cut);
}

static uint32_t count_machines(const struct timeline *tl)
{
	uint32_t n = 0;

	for (size_t i = 0; i < timeline_n_sources(tl); i++)
		if (timeline_source(tl, i)->machine >= n)
			n = timeline_source(tl, i)->machine + 1;
	return n;
}

int task_states_each(struct timeline *tl, uint64_t from, uint64_t to,
		     void (*each)(void *ctx, uint16_t task, const struct state_span *span),
		     void *ctx)
{
	struct handing_on h = {each, ctx, from};
	uint32_t n_machines = count_machines(tl);
	int r = 0;

	for (uint32_t m = 0; m < n_machines && !r; m++)
		r = states_pass(tl, NULL, m, NULL, from, to, hand_on, &h);
	return r;
}

/* --- lists of spans --------------------------------------------------------------------------- */

struct collecting {
	struct timeline *tl;
	const int32_t *place; /* index of a task among the results, or -1 */
	struct state_list *lists;
	size_t *caps;
	bool failed;
};

static void collect_add(struct collecting *c, size_t i, const struct state_span *s)
{
	struct state_list *l = &c->lists[i];

	if (!ARRAY_ROOM(l->spans, c->caps[i], l->n + 1, ARRAY_NO_MAX)) {
		c->failed = true;
		return;
	}
	l->spans[l->n++] = *s;
}

static void collect(void *ctx, uint16_t task, const struct task_track *t,
		    const struct state_span *s, enum task_state next)
{
	struct collecting *c = ctx;
	int32_t i = c->place[task];
	uint64_t first = timeline_task(c->tl, task)->first;

	if (s->end == s->start)
		return;
	if (!c->lists[i].n && first < s->start)
		collect_add(c, i,
			    &(struct state_span){.start = first,
						 .end = s->start,
						 .state = STATE_UNKNOWN,
						 .cpu = -1,
						 .waker = -1,
						 .open_start = true});
	collect_add(c, i, s);
}

/* Collects all tasks of one machine in one pass. */
static int collect_machine(struct collecting *c, uint32_t machine, const uint16_t *tasks,
			   size_t n_tasks, uint8_t *bits, int32_t *place, size_t n_all)
{
	bool any = false;

	memset(bits, 0, n_all / 8 + 1);
	for (size_t i = 0; i < n_tasks; i++)
		if (tasks[i] < n_all && timeline_task(c->tl, tasks[i])->machine == machine) {
			bit_set(bits, tasks[i]);
			place[tasks[i]] = i;
			any = true;
		}
	if (!any)
		return 0;
	return states_pass(c->tl, NULL, machine, bits, 0, TIMELINE_TIME_MAX, collect, c);
}

int task_states_many(struct timeline *tl, const uint16_t *tasks, size_t n_tasks,
		     struct state_list *results)
{
	size_t n_all = timeline_n_tasks(tl), n_bits = (UINT16_MAX + 1) / 8;
	SCOPED(scope_free) uint8_t *bits = calloc(1, n_bits);
	SCOPED(scope_free) int32_t *place = calloc(n_all + 1, sizeof(*place));
	SCOPED(scope_free) size_t *caps = calloc(n_tasks + 1, sizeof(*caps));
	struct collecting c = {.tl = tl, .place = place, .lists = results, .caps = caps};
	uint32_t n_machines = count_machines(tl);
	int r = bits && place && caps ? 0 : -ENOMEM;

	memset(results, 0, n_tasks * sizeof(*results));
	for (uint32_t m = 0; m < n_machines && !r; m++)
		r = collect_machine(&c, m, tasks, n_tasks, bits, place, n_all);
	if (!r && c.failed)
		r = -ENOMEM;
	for (size_t i = 0; r < 0 && i < n_tasks; i++) {
		free(results[i].spans);
		results[i] = (struct state_list){0};
	}
	return r;
}

int task_states(struct timeline *tl, uint16_t task, struct state_span **ret, size_t *ret_n)
{
	struct state_list list;

	TRY(task_states_many(tl, &task, 1, &list));
	*ret = list.spans;
	*ret_n = list.n;
	return 0;
}
