// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * states_cache.c - what all tasks were, at up to MOMENTS_MAX moments of a trace.
 *
 *	trace     |-------------------------------------------------|
 *	moments   |      |      |      |      |      |      |      |
 *	range                            [====]
 *	                                ^ from here on instead of from the beginning
 *
 * Made by one pass over everything, when somebody first asks for a range that does not begin at the beginning, and
 * only if the trace is long enough and completely indexed. A moment holds the tasks that were known then;
 * together they stay below CACHE_BYTES.
 *
 * One lock, held while it is made: whoever else wants it has to wait as long as making it again would take.
 */
#include "timeline/states_int.h"

#include <pthread.h>
#include <stdlib.h>

#define MOMENTS_MAX  64
#define CACHE_BYTES  ((size_t)32 << 20)
#define EVENTS_MIN   UINT64_C(300000) /* below, going through it all takes some milliseconds */
#define MACHINES_MAX 64

struct moment {
	uint64_t ts;
	struct kept_track {
		uint16_t task;
		struct task_track track;
	} * tracks;
	size_t n;
};

struct machine_moments {
	uint32_t machine;
	uint64_t version; /* of the index */
	struct moment moments[MOMENTS_MAX];
	size_t n, n_wanted;
	uint64_t step, next;
};

struct states_cache {
	struct timeline *tl;
	pthread_mutex_t lock;
	struct machine_moments *machines[MACHINES_MAX];
	size_t n_machines;
};

struct states_cache *states_cache_new(struct timeline *tl)
{
	struct states_cache *sc = calloc(1, sizeof(*sc));

	if (!sc)
		return NULL;
	sc->tl = tl;
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

/* A track with what the list of dark times says about it: the list itself is not kept. */
static struct task_track with_dark(const struct task_track *t, const struct dark_times *dark)
{
	struct task_track kept = *t;

	kept.dark_at = dark_times_find(dark, t->cur.start);
	kept.was_dark = kept.dark_at != DARK_NEVER;
	return kept;
}

static void keep_moment(void *ctx, uint64_t ts, const struct task_track *tracks, size_t n,
			const struct dark_times *dark)
{
	struct machine_moments *m = ctx;
	struct moment *to;
	size_t known = 0;

	if (ts < m->next || m->n == m->n_wanted)
		return;
	m->next = ts + m->step;
	for (size_t i = 0; i < n; i++)
		known += tracks[i].is_known;
	to = &m->moments[m->n];
	*to = (struct moment){.ts = ts, .tracks = malloc(known * sizeof(*to->tracks) + 1)};
	if (!to->tracks)
		return;
	for (size_t i = 0; i < n; i++)
		if (tracks[i].is_known)
			to->tracks[to->n++] = (struct kept_track){i, with_dark(&tracks[i], dark)};
	m->n++;
}

/* lock held: the moments of a machine, up to date; NULL: there are none to be had. */
static struct machine_moments *get_moments(struct states_cache *sc, uint32_t machine)
{
	uint64_t version = timeline_n_events(sc->tl);
	struct machine_moments *m = NULL;
	size_t fit;

	if (version < EVENTS_MIN || timeline_progress(sc->tl) < 1)
		return NULL;
	for (size_t i = 0; i < sc->n_machines; i++)
		if (sc->machines[i]->machine == machine)
			m = sc->machines[i];
	if (m && m->version == version)
		return m;
	if (!m && sc->n_machines < MACHINES_MAX) {
		m = calloc(1, sizeof(*m));
		if (m)
			sc->machines[sc->n_machines++] = m;
	}
	if (!m)
		return NULL;
	drop_moments(m);
	fit = CACHE_BYTES / (sizeof(struct kept_track) * (timeline_n_tasks(sc->tl) + 1));
	m->machine = machine;
	m->version = version;
	m->n_wanted = fit < MOMENTS_MAX ? fit : MOMENTS_MAX;
	m->step = m->next = timeline_duration(sc->tl) / (m->n_wanted + 1) + 1;
	if (m->n_wanted && states_pass_peek(sc->tl, machine, keep_moment, m) < 0)
		drop_moments(m);
	return m;
}

uint64_t states_cache_load(struct states_cache *sc, uint32_t machine, uint64_t t,
			   struct task_track *tracks, size_t n)
{
	const struct moment *best = NULL;
	const struct machine_moments *m;
	uint64_t ts = 0;

	/* not worth it for what is near the beginning */
	if (t < timeline_duration(sc->tl) / MOMENTS_MAX)
		return 0;
	pthread_mutex_lock(&sc->lock);
	m = get_moments(sc, machine);
	for (size_t i = 0; m && i < m->n && m->moments[i].ts <= t; i++)
		best = &m->moments[i];
	for (size_t i = 0; best && i < best->n; i++)
		if (best->tracks[i].task < n)
			tracks[best->tracks[i].task] = best->tracks[i].track;
	if (best)
		ts = best->ts;
	pthread_mutex_unlock(&sc->lock);
	return ts;
}
