// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * runclock.c - a clock for each task that advances only while the task runs.
 *
 *	wall       0    10    20    30    40
 *	task       running    sleeping    running
 *	its clock  0    10    10    10    20
 *
 * While a function sleeps, this clock stops, so a flame graph of functions shows what used the CPU.
 * The idle task has a clock on each CPU, which advances while no other task runs there. If the
 * trace has no switches, or too many to store, the wall clock is used.
 */
#include "decode/taskstate.h"
#include "timeline/insight/insight_int.h"

#include "base/array.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void add_run(struct runclock *rc, uint16_t of, uint64_t start, uint64_t end)
{
	struct run_list *l = &rc->tasks[of];
	const struct run_start *last;

	if (rc->is_wall)
		return;
	if (rc->n_runs == RUNCLOCK_MAX) {
		rc->is_wall = true;
		return;
	}
	if (!ARRAY_ROOM(l->runs, l->cap, l->n + 1, RUNCLOCK_MAX)) {
		rc->failed = true;
		return;
	}
	last = l->n ? &l->runs[l->n - 1] : NULL;
	l->runs[l->n++] =
		(struct run_start){start, end, last ? last->before + (last->end - last->start) : 0};
	rc->n_runs++;
}

static void note_run(void *ctx, uint16_t task, const struct task_track *t,
		     const struct state_span *s, enum task_state next)
{
	struct runclock *rc = ctx;

	rc->tasks[task].is_known |= s->state != STATE_UNKNOWN;
	if (s->state == STATE_RUNNING)
		add_run(rc, task, s->start, s->end);
}

struct idling {
	struct runclock *rc;
	uint16_t of;
	uint64_t since;
};

static bool note_busy(void *ctx, const struct lane_span *s)
{
	struct idling *i = ctx;

	if (s->start > i->since)
		add_run(i->rc, i->of, i->since, s->start);
	i->since = later(i->since, s->end);
	return true;
}

/* Notes the idle times of a CPU, in which its lane is empty. */
static int note_idle(struct runclock *rc, struct lanes *ls, uint32_t machine, uint32_t cpu,
		     uint64_t from, uint64_t to)
{
	struct idling i = {rc, runclock_idle(cpu), from};
	struct errmsg err = {0};
	struct lane *ln;
	char spec[64];
	int r;

	snprintf(spec, sizeof(spec), "cpu:%u:%u", machine, cpu);
	r = lane_get(ls, spec, &ln, &err);
	if (r < 0)
		return r == -EINVAL ? 0 : r;
	r = lane_each(ln, from, to, note_busy, &i);
	lane_put(ln);
	rc->tasks[i.of].is_known = true;
	if (!r && to > i.since)
		add_run(rc, i.of, i.since, to);
	return r;
}

static int note_idle_all(struct runclock *rc, struct lanes *ls, uint32_t machine, uint64_t from,
			 uint64_t to)
{
	int r = 0;

	for (size_t i = 0; i < timeline_n_streams(ls->tl) && !r; i++) {
		const struct timeline_stream *st = timeline_stream(ls->tl, i);

		/* several buffers may have the same CPU */
		if (timeline_source(ls->tl, st->source)->machine == machine &&
		    !rc->tasks[runclock_idle(st->cpu)].is_known)
			r = note_idle(rc, ls, machine, st->cpu, from, to);
	}
	return r;
}

int runclock_init(struct runclock *rc, struct lanes *ls, uint32_t machine, int task, uint64_t from,
		  uint64_t to)
{
	uint8_t *bits = task >= 0 ? calloc(1, (UINT16_MAX + 1) / 8) : NULL;
	int r;

	*rc = (struct runclock){.is_wall = !timeline_has_sched(ls->tl, machine)};
	rc->tasks = calloc(UINT16_MAX + 1, sizeof(*rc->tasks));
	if (!rc->tasks || (task >= 0 && !bits)) {
		free(bits);
		runclock_release(rc);
		return -ENOMEM;
	}
	if (bits)
		bit_set(bits, task);
	r = rc->is_wall ? 0
			: states_pass(ls->tl, ls->states, machine, bits, from, to, note_run, rc);
	free(bits);
	if (!r && task < 0 && !rc->is_wall)
		r = note_idle_all(rc, ls, machine, from, to);
	if (!r && rc->failed)
		r = -ENOMEM;
	if (r < 0)
		runclock_release(rc);
	return r;
}

void runclock_release(struct runclock *rc)
{
	for (size_t i = 0; rc->tasks && i <= UINT16_MAX; i++)
		free(rc->tasks[i].runs);
	free(rc->tasks);
	*rc = (struct runclock){0};
}

/* Returns the first run that ends at or after t, or l->n if there is none. */
static size_t find_run(const struct run_list *l, uint64_t t)
{
	/* mostly the run is the same as in the last call, or the next one */
	for (size_t i = l->last; i < l->n && i < l->last + 2; i++)
		if (l->runs[i].end >= t && (!i || l->runs[i - 1].end < t))
			return i;
	return ARRAY_BISECT(l->n, i, l->runs[i].end < t);
}

uint64_t runclock_at(struct runclock *rc, int task, uint64_t t)
{
	struct run_list *l;
	const struct run_start *run;
	size_t i;

	if (rc->is_wall || task < 0 || task > UINT16_MAX)
		return t;
	l = &rc->tasks[task];
	if (!l->n)
		return l->is_known ? 0 : t;
	i = find_run(l, t);
	l->last = i < l->n ? i : l->n - 1;
	run = &l->runs[l->last];
	if (i == l->n)
		return run->before + (run->end - run->start);
	return run->before + (t > run->start ? t - run->start : 0);
}
