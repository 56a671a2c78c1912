// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * cache.c - caches the states of all tasks, at up to MOMENTS_MAX moments of a trace.
 *
 *	trace     |-------------------------------------------------|
 *	moments   |      |      |      |      |      |      |      |
 *	range                            [====]
 *	                                ^ start here instead of at the beginning
 *
 * One pass over the whole trace makes the moments, at the first request for a range that does not
 * start at the beginning, and only if the trace is long enough and completely indexed. A moment
 * contains the tasks known at that time; all moments together stay below CACHE_BYTES.
 *
 * In a growing trace the moments reach up to the settled time (timeline_settled()), with the last
 * one there. The next pass continues from it, so it processes only new data.
 *
 *	|      |      |      |   |            the last moment is dropped when a later one exists,
 *	|      |      |      |      | |       unless it has the right distance
 *
 * A gap that is detected later may reach back before a moment and change which task runs there.
 * Then the moment is made again from the previous one.
 *
 * One lock is held while the moments are made. Other callers wait; to make the moments themselves
 * would take as long.
 */
#include "base/lock.h"
#include "decode/taskstate.h"
#include "timeline/states/states_int.h"
#include "timeline/timeline_int.h"

#include <stdlib.h>
#include <string.h>

#define MOMENTS_MAX   64
#define CACHE_BYTES   ((size_t)32 << 20)
/* with fewer events, a full pass takes only some milliseconds */
#define EVENTS_MIN    UINT64_C(300000)
#define CACHED_MAX    64 /* limit of machines */
#define MOMENTS_LEAST 4	 /* minimum for a growing trace */

struct moment {
	uint64_t ts;
	struct kept_track {
		uint16_t task;
		struct task_track track;
	} * tracks;
	size_t n;
};

struct machine_moments {
	const struct timeline *tl;
	uint32_t machine;
	uint64_t version; /* version of the index */
	struct moment moments[MOMENTS_MAX];
	size_t n, n_wanted;
	uint64_t step, next;
	uint64_t edge; /* live: the end of the settled part */
	bool has_edge;
	uint32_t n_drops;
};

struct states_cache {
	struct timeline *tl;
	pthread_mutex_t lock;
	struct machine_moments *machines[CACHED_MAX];
	size_t n_machines;
	uint64_t events_min;
};

void states_cache_set_least(struct states_cache *sc, uint64_t n_events)
{
	sc->events_min = n_events;
}

struct states_cache *states_cache_new(struct timeline *tl)
{
	struct states_cache *sc = calloc(1, sizeof(*sc));

	if (!sc)
		return NULL;
	sc->tl = tl;
	sc->events_min = EVENTS_MIN;
	pthread_mutex_init(&sc->lock, NULL);
	return sc;
}

static void drop_moments(struct machine_moments *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->moments[i].tracks);
	m->n = 0;
}

void states_cache_free(struct states_cache *sc)
{
	if (!sc)
		return;
	for (size_t i = 0; i < sc->n_machines; i++) {
		drop_moments(sc->machines[i]);
		free(sc->machines[i]);
	}
	pthread_mutex_destroy(&sc->lock);
	free(sc);
}

/*
 * Returns a track with its entry of the list of dark times, because the list itself is not stored.
 */
static struct task_track with_dark(const struct timeline *tl, uint16_t task,
				   const struct task_track *t, const struct dark_times *dark)
{
	struct task_track kept = *t;

	kept.dark_at = states_dark_for(tl, dark, task, t->cur.start);
	kept.was_dark = kept.dark_at != DARK_NEVER;
	return kept;
}

/* Returns false if out of memory. */
static bool add_moment(struct machine_moments *m, uint64_t ts, const struct task_track *tracks,
		       size_t n, const struct dark_times *dark)
{
	struct moment *to = &m->moments[m->n];
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		known += tracks[i].is_known;
	*to = (struct moment){.ts = ts, .tracks = malloc(known * sizeof(*to->tracks) + 1)};
	if (!to->tracks)
		return false;
	for (size_t i = 0; i < n; i++)
		if (tracks[i].is_known)
			to->tracks[to->n++] =
				(struct kept_track){i, with_dark(m->tl, i, &tracks[i], dark)};
	m->n++;
	return true;
}

static void keep_moment(void *ctx, uint64_t ts, const struct task_track *tracks, size_t n,
			const struct dark_times *dark)
{
	struct machine_moments *m = ctx;

	if (ts < m->next || m->n == m->n_wanted)
		return;
	/* the end of a short dark time shows its kind, so wait for it */
	if (dark->n_dark && dark->n && ts - dark->times[dark->n - 1].start <= STATES_HIDDEN_NS)
		return;
	m->next = ts + m->step;
	add_moment(m, ts, tracks, n, dark);
}

/* --- a trace that grows ----------------------------------------------------------------------- */

static void drop_moment(struct machine_moments *m, size_t i)
{
	free(m->moments[i].tracks);
	memmove(&m->moments[i], &m->moments[i + 1], (m->n - i - 1) * sizeof(m->moments[0]));
	m->n--;
}

static void keep_live(void *ctx, uint64_t ts, const struct task_track *tracks, size_t n,
		      const struct dark_times *dark)
{
	struct machine_moments *m = ctx;

	if (m->has_edge || (ts < m->next && ts < m->edge))
		return;
	/* drop every second moment, but keep the newest */
	if (m->n >= m->n_wanted) {
		for (size_t i = m->n - 1; i-- > 0;)
			if (i % 2)
				drop_moment(m, i);
		m->step *= 2;
	}
	if (m->n < MOMENTS_MAX)
		add_moment(m, ts, tracks, n, dark);
	m->next = ts + m->step;
	m->has_edge = ts >= m->edge;
}

struct who_search {
	uint64_t t;
	uint16_t task;
};

static bool look_who(void *ctx, const struct cpu_turn *turn)
{
	struct who_search *w = ctx;

	if (turn->ts < w->t)
		w->task = turn->next;
	return turn->ts < w->t;
}

static bool runs_on(const struct moment *at, uint16_t task, int32_t cpu)
{
	for (size_t i = 0; i < at->n; i++)
		if (at->tracks[i].task == task)
			return at->tracks[i].track.cur.state == STATE_RUNNING &&
			       at->tracks[i].track.cur.cpu == cpu;
	return false;
}

/* Returns true if the CPUs still show the same running tasks at this moment. */
static bool moment_fits(struct timeline *tl, uint32_t machine, const struct moment *at)
{
	struct sched_streams ss;
	size_t n_run = 0, n_said = 0;
	bool fits = sched_streams_init(&ss, tl, machine) >= 0;

	for (size_t i = 0; fits && i < ss.n_cpus; i++) {
		uint32_t cpu = timeline_stream(tl, ss.cpus[i])->cpu;
		struct who_search w = {at->ts, TIMELINE_NO_TASK};

		fits = cpu_turns(tl, machine, cpu, at->ts, at->ts, look_who, &w) >= 0;
		if (w.task == TIMELINE_NO_TASK || !timeline_task(tl, w.task)->pid)
			continue;
		fits = fits && runs_on(at, w.task, cpu);
		n_said++;
	}
	for (size_t i = 0; i < at->n; i++)
		n_run += at->tracks[i].track.cur.state == STATE_RUNNING;
	sched_streams_release(&ss);
	return fits && n_run == n_said;
}

static void load_last(void *ctx, struct task_track *tracks, size_t n)
{
	const struct machine_moments *m = ctx;
	const struct moment *at = &m->moments[m->n - 1];

	for (size_t i = 0; i < at->n; i++)
		if (at->tracks[i].task < n)
			tracks[at->tracks[i].task] = at->tracks[i].track;
}

/* The caller holds the lock. */
static void go_on(struct states_cache *sc, struct machine_moments *m)
{
	struct states_peek peek = {.peek = keep_live, .ctx = m};
	size_t before;

	m->edge = timeline_settled(sc->tl);
	m->has_edge = false;
	while (m->n && !moment_fits(sc->tl, m->machine, &m->moments[m->n - 1]))
		drop_moment(m, m->n - 1);
	before = m->n;
	if (m->n) {
		peek.load = load_last;
		peek.start = m->moments[m->n - 1].ts;
	}
	m->next = peek.start + m->step;
	if (m->edge <= peek.start || states_pass_peek(sc->tl, m->machine, &peek) < 0)
		return;
	if (before > 1 && m->n > before &&
	    m->moments[before - 1].ts - m->moments[before - 2].ts < m->step)
		drop_moment(m, before - 1);
}

/* Returns the current moments of a machine, or NULL. The caller holds the lock. */
static struct machine_moments *get_moments(struct states_cache *sc, uint32_t machine)
{
	uint64_t version = timeline_n_events(sc->tl);
	struct machine_moments *m = NULL;
	size_t fit;

	for (size_t i = 0; i < sc->n_machines; i++)
		if (sc->machines[i]->machine == machine)
			m = sc->machines[i];
	if (version < sc->events_min || (timeline_progress(sc->tl) < 1 && !sc->tl->is_live))
		return NULL;
	if (m && m->version == version)
		return m;
	if (!m && sc->n_machines < CACHED_MAX) {
		m = calloc(1, sizeof(*m));
		if (m)
			m->tl = sc->tl;
		if (m)
			sc->machines[sc->n_machines++] = m;
	}
	if (!m)
		return NULL;
	if (m->n && sc->tl->is_live && m->n_drops == atomic_load(&sc->tl->n_drops)) {
		if (timeline_progress(sc->tl) >= 1) {
			m->version = version;
			go_on(sc, m);
		}
		return m;
	}
	drop_moments(m);
	fit = CACHE_BYTES / (sizeof(struct kept_track) * (timeline_n_tasks(sc->tl) + 1));
	m->machine = machine;
	m->version = version;
	m->n_wanted = fit < MOMENTS_MAX ? fit : MOMENTS_MAX;
	m->n_drops = atomic_load(&sc->tl->n_drops);
	m->step = m->next = timeline_duration(sc->tl) / (m->n_wanted + 1) + 1;
	if (sc->tl->is_live && m->n_wanted > MOMENTS_LEAST)
		go_on(sc, m);
	else if (m->n_wanted &&
		 states_pass_peek(sc->tl, machine,
				  &(struct states_peek){.peek = keep_moment, .ctx = m}) < 0)
		drop_moments(m);
	return m;
}

uint64_t states_cache_load(struct states_cache *sc, uint32_t machine, uint64_t t,
			   struct task_track *tracks, size_t n)
{
	const struct moment *best = NULL;
	const struct machine_moments *m;
	uint64_t ts = 0;

	/* near the beginning, a full pass is faster */
	if (t < timeline_duration(sc->tl) / MOMENTS_MAX)
		return 0;
	LOCKED(&sc->lock);
	m = get_moments(sc, machine);
	for (size_t i = 0; m && i < m->n && m->moments[i].ts <= t; i++)
		best = &m->moments[i];
	for (size_t i = 0; best && i < best->n; i++)
		if (best->tracks[i].task < n)
			tracks[best->tracks[i].task] = best->tracks[i].track;
	if (best)
		ts = best->ts;
	return ts;
}
