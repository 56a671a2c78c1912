// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedflow.c - the rules by which events of the scheduler become turns and waits.
 *
 *	switch in           the wait ends, the turn begins
 *	switch out          the turn ends; the state says why: preempted (R, R+), sleeping (S), …
 *	waking, off the CPU the task is runnable from now on; a second waking changes nothing
 *	waking, running     noted. If the task then leaves the CPU as sleeping, it was woken while
 *	                    it left: it is runnable from then on. If yet another waking follows
 *	                    before it runs, the note was stale (the task had not slept after the
 *	                    first waking), and the wait begins at the later one. A task that is
 *	                    runnable is never woken again, so this is exact.
 *	wakeup, running     the task continues: an earlier waking has no effect any more
 *	new                 runnable; the parent is the waker
 *
 * Each event names the task that runs on its CPU. If the last switch named another one, a switch is
 * missing (perf can omit those of the idle task without a message), and the notes about both tasks
 * are dropped.
 *
 * What is not sure is not counted:
 *	- the task that runs on a CPU when the recording begins: its turn has no start. A
 *	  waking of it counts as one of a running task.
 *	- a task that is switched in, but of which nothing was seen before: it has no wait. (It may
 *	  have slept since long before the recording.)
 *	- lost events on one CPU: the task there is unknown from the last event on. Any other task
 *	  may have run there in the gap, so waits and sleeps that began before its end have no
 *	  length. A gap is known only at its end; waits that end on other CPUs before that are sure
 *	  only if the caller has found the gaps first (schedgaps.h).
 *
 * A pid that is used again, after its task has ended, is another task. Only the events of one
 * buffer count, that of the first switch: another buffer may have recorded the same ones. A kernel
 * stack belongs to the event before it on its CPU: of a switch, it shows where the task sleeps; of
 * a waking, who woke it.
 */
#include "analyse/sched/schedflow.h"

#include "analyse/own.h"
#include "analyse/sched/schedgaps.h"
#include "analyse/sched/schedstacks.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "decode/taskstate.h"
#include "symbols/processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX	 (1u << 20)
#define CPUS_MAX	 65536
#define MEMORY_MAX_BYTES (512u << 20)

struct cpu {
	struct sched_task *running; /* NULL: unknown */
	struct sched_task *idle;
	struct sched_task *before; /* the task that ran before */
	uint64_t last_ts;
	bool has_events;
	/* to which a stack belongs: the place of its pointer; NULL: none */
	const struct sched_stack **stack_of;
	int stack_pid;
	uint64_t stack_ts;
};

struct schedflow {
	struct sched_reader reader;
	struct schedflow_ops ops;
	struct own own;
	struct arena arena;
	struct map by_pid; /* struct sched_task */
	struct sched_task **tasks;
	size_t n_tasks, cap_tasks;
	struct cpu *cpus;
	size_t n_cpus;
	struct map stacks;
	struct schedflow_counts counts;
	struct sched_gap gaps[SCHEDFLOW_GAPS_MAX];
	size_t n_gaps;
	uint64_t gap_ts;		  /* end of the last gap: what began before is not sure */
	const struct schedgaps *all_gaps; /* all of them; NULL: not known before */
	int source;			  /* the buffer that counts; -1: none yet */
};

/* --- tasks and CPUs --------------------------------------------------------------------------- */

static struct sched_task *task_new(struct schedflow *s, int pid)
{
	struct sched_task *t;

	if (!ARRAY_ROOM(s->tasks, s->cap_tasks, s->n_tasks + 1, TASKS_MAX))
		return NULL;
	t = arena_alloc(&s->arena, sizeof(*t));
	if (!t)
		return NULL;
	t->turn = arena_alloc(&s->arena, sizeof(*t->turn));
	if (!t->turn)
		return NULL;
	t->pid = pid;
	t->ppid = t->prio = -1;
	t->cpu = -1;
	t->is_own = own_is_task(&s->own, pid);
	t->tgid = processes_find_tgid(s->reader.f->processes, pid);
	t->index = s->n_tasks;
	s->tasks[s->n_tasks++] = t;
	return t;
}

static struct cpu *cpu_get(struct schedflow *s, uint32_t cpu)
{
	return ARRAY_ROOM(s->cpus, s->n_cpus, (size_t)cpu + 1, CPUS_MAX) ? &s->cpus[cpu] : NULL;
}

static struct sched_task *task_get(struct schedflow *s, int pid, uint32_t cpu)
{
	struct cpu *c = pid ? NULL : cpu_get(s, cpu);
	void **slot;

	if (c && !c->idle && (c->idle = task_new(s, 0)))
		memcpy(c->idle->comm, "<idle>", sizeof("<idle>"));
	if (!pid)
		return c ? c->idle : NULL;
	slot = map_take(&s->by_pid, (uint64_t)(uint32_t)pid, TASKS_MAX);
	if (slot && !*slot)
		*slot = task_new(s, pid);
	return slot ? *slot : NULL;
}

static void set_comm(struct sched_task *t, const char *comm, uint32_t len)
{
	if (!comm || !t->pid || !len)
		return;
	len = len < sizeof(t->comm) ? len : sizeof(t->comm) - 1;
	memcpy(t->comm, comm, len);
	t->comm[len] = '\0';
}

/* The task of an event, with what the event says about it. */
static struct sched_task *task_of(struct schedflow *s, const struct sched_event *ev)
{
	struct sched_task *t = task_get(s, ev->pid, ev->cpu);

	if (!t) {
		s->counts.n_dropped++;
		return NULL;
	}
	set_comm(t, ev->comm, ev->comm_len);
	if (ev->prio >= 0)
		t->prio = ev->prio;
	if (ev->current == ev->pid && ev->tgid >= 0 && ev->pid)
		t->tgid = ev->tgid;
	return t;
}

struct sched_task *schedflow_find(const struct schedflow *s, int pid)
{
	return map_find(&s->by_pid, (uint64_t)(uint32_t)pid);
}

void schedflow_rename(struct schedflow *s, int pid, const char *comm)
{
	struct sched_task *t = schedflow_find(s, pid);

	if (t)
		set_comm(t, comm, (uint32_t)strlen(comm));
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* The next stack of the CPU is that of ev. */
static void expect_stack(struct cpu *c, const struct sched_event *ev, const struct sched_stack **to)
{
	c->stack_of = to;
	c->stack_pid = ev->current;
	c->stack_ts = ev->ts;
}

static void add_stack(struct schedflow *s, const struct sched_event *ev, struct cpu *c)
{
	s->counts.n_stacks++;
	if (c->stack_of && c->stack_pid == ev->current &&
	    (!ev->is_sample || c->stack_ts == ev->ts)) {
		*c->stack_of = schedstacks_get(&s->stacks, &s->arena, &s->reader, ev);
		if (s->ops.stack)
			s->ops.stack(s->ops.ctx, ev, *c->stack_of);
	}
	c->stack_of = NULL;
}

/* --- waits ------------------------------------------------------------------------------------ */

/* Could the task have done nothing else meanwhile, unseen? */
static bool is_sure(const struct schedflow *s, uint64_t since, uint64_t until)
{
	return since >= s->gap_ts && !(s->all_gaps && schedgaps_overlap(s->all_gaps, since, until));
}

static bool is_runnable_off(const struct sched_task *t)
{
	return t->state == STATE_PREEMPTED || t->is_woken;
}

/* Fills what was before a turn that starts now. */
static void fill_wait(struct schedflow *s, struct sched_turn *u, const struct sched_task *t,
		      uint64_t now)
{
	bool has_left = t->state > STATE_RUNNING && t->is_since_sure;

	u->off_state = t->state > STATE_RUNNING ? t->state : STATE_UNKNOWN;
	u->off_start = has_left ? t->since : 0;
	u->off_cpu = t->cpu;
	u->off_stack = t->out_stack;
	u->is_new = t->is_new;
	if (t->is_woken) {
		u->waker = t->waker;
		u->waker_in_irq = t->waker_in_irq;
		u->waker_stack = t->waker_stack;
	}
	if (is_runnable_off(t))
		u->ready = t->is_woken ? t->woken : u->off_start;
	if (has_left && t->state != STATE_PREEMPTED) {
		uint64_t until = t->is_woken ? t->woken : now;

		u->is_sleep_sure = is_sure(s, t->since, until);
		u->sleep_ns = u->is_sleep_sure && until > t->since ? until - t->since : 0;
	}
	if (u->ready && is_sure(s, u->ready, now)) {
		u->is_wait_sure = true;
		u->wait_ns = now > u->ready ? now - u->ready : 0;
	}
}

static void begin_turn(struct schedflow *s, struct sched_task *t, struct cpu *c, uint32_t cpu,
		       uint64_t ts, bool is_sure_start)
{
	struct sched_turn *u = t->turn, old = *u;
	/* it has run here since the recording began: the waking came while it ran */
	bool is_woken_early = !is_sure_start && !c->before && !s->gap_ts && t->is_woken &&
			      t->state == STATE_RUNNABLE;

	*u = (struct sched_turn){.task = t,
				 .cpu = cpu,
				 .has_run = true,
				 .start = ts,
				 .is_start_sure = is_sure_start,
				 .before = c->before};
	if (t->is_woken || t->state == STATE_PREEMPTED) {
		u->n_chain = t->is_woken ? t->n_chain : old.n_chain;
		memcpy(u->chain, t->is_woken ? t->chain : old.chain, sizeof(u->chain));
	}
	if (is_sure_start && t->pid)
		fill_wait(s, u, t, ts);
	u->is_moved = is_sure_start && t->cpu >= 0 && t->cpu != (int32_t)cpu;
	t->state = STATE_RUNNING;
	t->cpu = (int32_t)cpu;
	t->since = ts;
	t->is_since_sure = is_sure_start;
	t->is_woken = t->is_new = false;
	t->is_woken_early = is_woken_early;
	t->waker = is_woken_early ? t->waker : NULL;
	t->waker_stack = is_woken_early ? t->waker_stack : NULL;
	t->out_stack = NULL;
	c->running = t;
}

/* Ends the turn of a task that runs. next NULL: it left unseen, or the recording ends. */
static void end_turn(struct schedflow *s, struct sched_task *t, struct cpu *c, uint64_t ts,
		     const struct sched_event *ev, struct sched_task *next)
{
	struct sched_turn *u = t->turn;

	u->end = ts;
	u->is_end_sure = ev;
	u->run_ns = u->is_start_sure && ts > u->start ? ts - u->start : 0;
	u->next = next;
	u->out_state = ev ? ev->state : STATE_UNKNOWN;
	u->raw_state = ev ? ev->raw_state : 0;
	c->running = NULL;
	c->before = t;
	t->state = u->out_state;
	t->since = ts;
	t->is_since_sure = ev;
	t->out_next = next;
	if (ev && ev->state == STATE_DEAD)
		t->is_dead = true;
	/* woken while it left: runnable at once */
	t->is_woken = t->is_woken_early && ev && ev->state != STATE_PREEMPTED;
	t->woken = ts;
	if (s->ops.turn)
		s->ops.turn(s->ops.ctx, u);
}

/* --- events ----------------------------------------------------------------------------------- */

/* If the task runs on a CPU, as far as was seen, it has left that one unseen. */
static void leave_unseen(struct schedflow *s, struct sched_task *t)
{
	struct cpu *c = t->state == STATE_RUNNING && t->cpu >= 0 ? &s->cpus[t->cpu] : NULL;

	if (c && c->running == t)
		end_turn(s, t, c, c->last_ts, NULL, NULL);
}

/* The event says that t runs on its CPU. */
static void set_running(struct schedflow *s, const struct sched_event *ev, struct sched_task *t,
			struct cpu *c)
{
	if (c->running == t)
		return;
	if (c->running)
		end_turn(s, c->running, c, c->last_ts, NULL, NULL);
	leave_unseen(s, t);
	begin_turn(s, t, c, ev->cpu, c->has_events ? c->last_ts : ev->ts, false);
}

static void add_switch(struct schedflow *s, const struct sched_event *ev, struct cpu *c)
{
	struct sched_task *prev = task_of(s, ev), *next = task_get(s, ev->other, ev->cpu);

	if (!prev || !next) {
		s->counts.n_dropped += !next;
		c->running = NULL;
		return;
	}
	set_comm(next, ev->other_comm, ev->other_comm_len);
	if (ev->other_prio >= 0)
		next->prio = ev->other_prio;
	set_running(s, ev, prev, c);
	end_turn(s, prev, c, ev->ts, ev, next);
	leave_unseen(s, next);
	begin_turn(s, next, c, ev->cpu, ev->ts, true);
	s->counts.n_switches++;
	expect_stack(c, ev, &prev->out_stack);
}

static struct sched_task *current_of(struct schedflow *s, const struct sched_event *ev)
{
	struct sched_task *t = task_get(s, ev->current, ev->cpu);

	if (t && t->pid && ev->tgid >= 0)
		t->tgid = ev->tgid;
	if (t && !t->comm[0] && ev->current_comm)
		set_comm(t, ev->current_comm, (uint32_t)strlen(ev->current_comm));
	return t;
}

/* The chain of a task that is woken: its waker, then the waker's chain. */
static void set_chain(struct sched_task *t, const struct sched_task *waker, bool in_irq)
{
	bool is_end = !waker || in_irq || !waker->pid || waker == t;
	struct sched_link links[SCHED_CHAIN_MAX] = {{waker, in_irq || (waker && !waker->pid)}};
	unsigned n = waker ? 1 : 0;

	for (unsigned i = 0; !is_end && i < waker->turn->n_chain && n < SCHED_CHAIN_MAX; i++) {
		const struct sched_link *l = &waker->turn->chain[i];

		links[n++] = *l;
		is_end = l->task == t || l->task == waker;
	}
	memcpy(t->chain, links, sizeof(links));
	t->n_chain = n;
}

static void set_woken(struct schedflow *s, const struct sched_event *ev, struct sched_task *t,
		      struct sched_task *waker, struct cpu *c)
{
	t->waker = waker;
	t->waker_in_irq = ev->in_irq;
	t->waker_stack = NULL;
	set_chain(t, waker, ev->in_irq);
	expect_stack(c, ev, &t->waker_stack);
}

static void add_waking(struct schedflow *s, const struct sched_event *ev, struct cpu *c)
{
	struct sched_task *waker, *t;

	if (ev->kind == SCHED_NEW && (t = schedflow_find(s, ev->pid)) && t->is_dead)
		map_remove(&s->by_pid, (uint64_t)(uint32_t)ev->pid);
	t = task_of(s, ev);
	waker = current_of(s, ev);
	if (!t)
		return;
	s->counts.n_wakings += ev->kind != SCHED_WAKEUP || !s->reader.has_waking;
	if (t->state == STATE_RUNNING) {
		if (ev->kind == SCHED_WAKING) {
			t->is_woken_early = true;
			set_woken(s, ev, t, waker, c);
		} else {
			t->is_woken_early = false;
		}
	} else if (t->state != STATE_PREEMPTED &&
		   (!t->is_woken || (t->is_woken_early && ev->kind == SCHED_WAKING))) {
		t->is_woken = true;
		t->is_woken_early = false;
		t->woken = ev->ts;
		t->is_new = ev->kind == SCHED_NEW;
		if (t->state == STATE_UNKNOWN)
			t->state = STATE_RUNNABLE;
		set_woken(s, ev, t, waker, c);
	}
	if (t->is_new && waker && t->ppid < 0)
		t->ppid = waker->pid;
	if (s->ops.waking)
		s->ops.waking(s->ops.ctx, ev, t, waker);
}

static void add_fork(struct schedflow *s, const struct sched_event *ev)
{
	struct sched_task *t = schedflow_find(s, ev->pid);

	if (t && t->is_dead)
		map_remove(&s->by_pid, (uint64_t)(uint32_t)ev->pid);
	t = task_of(s, ev);
	if (t)
		t->ppid = ev->other;
}

static void add_plain(struct schedflow *s, const struct sched_event *ev)
{
	struct sched_task *t = task_of(s, ev);

	if (!t)
		return;
	if (ev->kind == SCHED_MIGRATE) {
		s->counts.n_migrations++;
		if (s->ops.migrate)
			s->ops.migrate(s->ops.ctx, ev, t, current_of(s, ev));
	} else if (ev->kind == SCHED_RUNTIME && s->ops.runtime) {
		s->ops.runtime(s->ops.ctx, ev, t);
	}
}

static void add_gap(struct schedflow *s, const struct sched_event *ev, struct cpu *c)
{
	struct sched_gap gap = {ev->cpu, c->has_events ? c->last_ts : 0, ev->ts};

	if (c->running)
		end_turn(s, c->running, c, c->last_ts, NULL, NULL);
	c->before = NULL;
	s->gap_ts = ev->ts;
	s->counts.n_gaps++;
	if (s->n_gaps < SCHEDFLOW_GAPS_MAX)
		s->gaps[s->n_gaps++] = gap;
	if (s->ops.gap)
		s->ops.gap(s->ops.ctx, &gap);
}

static bool is_foreign(struct schedflow *s, const struct sched_event *ev)
{
	if (s->source < 0 && ev->kind == SCHED_SWITCH)
		s->source = ev->source;
	return s->source >= 0 && s->source != ev->source && !ev->is_sample;
}

static void add_event(struct schedflow *s, const struct sched_event *ev, struct cpu *c)
{
	if (ev->kind == SCHED_STACK) {
		add_stack(s, ev, c);
		return;
	}
	c->stack_of = NULL;
	s->counts.n_events++;
	if (ev->kind != SCHED_SWITCH && ev->current >= 0) {
		struct sched_task *t = current_of(s, ev);

		if (t)
			set_running(s, ev, t, c);
	}
	if (ev->kind == SCHED_SWITCH)
		add_switch(s, ev, c);
	else if (ev->kind == SCHED_WAKING || ev->kind == SCHED_WAKEUP || ev->kind == SCHED_NEW)
		add_waking(s, ev, c);
	else if (ev->kind == SCHED_FORK)
		add_fork(s, ev);
	else
		add_plain(s, ev);
}

void schedflow_add(struct schedflow *s, const struct record *rec)
{
	struct sched_event ev;
	bool is_known = sched_read(&s->reader, rec, &ev);
	struct cpu *c;

	if ((!is_known && !ev.missed) || (is_known && is_foreign(s, &ev))) {
		s->counts.n_foreign += is_known && ev.kind != SCHED_STACK;
		return;
	}
	c = cpu_get(s, ev.cpu);
	if (!c) {
		s->counts.n_dropped++;
		return;
	}
	if (ev.missed && (s->source < 0 || s->source == ev.source))
		add_gap(s, &ev, c);
	if (!s->counts.first_ts)
		s->counts.first_ts = ev.ts;
	s->counts.last_ts = ev.ts;
	if (ev.cpu >= s->counts.n_cpus)
		s->counts.n_cpus = ev.cpu + 1;
	if (is_known)
		add_event(s, &ev, c);
	c->last_ts = ev.ts;
	c->has_events = true;
}

void schedflow_end(struct schedflow *s)
{
	uint64_t now = s->counts.last_ts;

	for (size_t i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].running)
			end_turn(s, s->cpus[i].running, &s->cpus[i], now, NULL, NULL);
	for (size_t i = 0; i < s->n_tasks; i++) {
		struct sched_task *t = s->tasks[i];
		struct sched_turn *u = t->turn;

		if (!t->pid || t->is_dead || t->state <= STATE_RUNNING)
			continue;
		*u = (struct sched_turn){
			.task = t, .cpu = (uint32_t)t->cpu, .start = now, .end = now};
		fill_wait(s, u, t, now);
		if (s->ops.turn)
			s->ops.turn(s->ops.ctx, u);
	}
}

/* --- life ------------------------------------------------------------------------------------- */

struct schedflow *schedflow_new(struct formats *f, bool with_own, const struct schedflow_ops *ops)
{
	struct schedflow *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ops = *ops;
	s->source = -1;
	arena_init(&s->arena, MEMORY_MAX_BYTES);
	if (sched_reader_init(&s->reader, f) < 0 || own_init(&s->own, f, with_own) < 0) {
		schedflow_free(s);
		return NULL;
	}
	return s;
}

void schedflow_free(struct schedflow *s)
{
	if (!s)
		return;
	sched_reader_release(&s->reader);
	own_release(&s->own);
	map_release(&s->by_pid);
	map_release(&s->stacks);
	free(s->tasks);
	free(s->cpus);
	arena_release(&s->arena);
	free(s);
}

void schedflow_set_gaps(struct schedflow *s, const struct schedgaps *gaps)
{
	s->all_gaps = gaps;
}

const uint8_t *schedflow_events(const struct schedflow *s, size_t *ret_n)
{
	*ret_n = s->reader.n_ids;
	return s->reader.wanted;
}

const struct schedflow_counts *schedflow_counts(const struct schedflow *s)
{
	return &s->counts;
}

const struct sched_gap *schedflow_gaps(const struct schedflow *s, size_t *ret_n)
{
	*ret_n = s->n_gaps;
	return s->gaps;
}

struct sched_task *const *schedflow_tasks(const struct schedflow *s, size_t *ret_n)
{
	*ret_n = s->n_tasks;
	return s->tasks;
}

const struct sched_reader *schedflow_reader(const struct schedflow *s)
{
	return &s->reader;
}
