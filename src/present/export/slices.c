// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slices.c - the open functions of each task.
 *
 * A table by task, open addressing, with a random seed like all tables whose keys come from files.
 * The idle task of every CPU has pid 0, so for it the CPU is part of the key. The first function of
 * a trace may have any depth; its callers are unknown and not opened, so a track stores the depths
 * of functions that began in the trace.
 */
#include "present/export/slices.h"
#include "base/hash.h"

#include <stdlib.h>

#define TRACKS_MAX  65536
#define FIRST_SLOTS 256

void slices_init(struct slices *s)
{
	*s = (struct slices){.seed = hash_seed()};
}

void slices_release(struct slices *s)
{
	free(s->tracks);
	*s = (struct slices){0};
}

static struct slice_track *find_slot(struct slice_track *tracks, size_t n_slots, uint64_t seed,
				     uint64_t key)
{
	size_t i = hash_number(seed, key, n_slots);

	while (tracks[i].key && tracks[i].key != key)
		i = (i + 1) & (n_slots - 1);
	return &tracks[i];
}

static bool grow(struct slices *s)
{
	size_t n_slots = s->n_slots ? s->n_slots * 2 : FIRST_SLOTS;
	struct slice_track *more = calloc(n_slots, sizeof(*more));

	if (!more)
		return false;
	for (size_t i = 0; i < s->n_slots; i++)
		if (s->tracks[i].key)
			*find_slot(more, n_slots, s->seed, s->tracks[i].key) = s->tracks[i];
	free(s->tracks);
	s->tracks = more;
	s->n_slots = n_slots;
	return true;
}

struct slice_track *slices_get(struct slices *s, uint32_t machine, int pid, uint32_t cpu)
{
	uint64_t key = (uint64_t)machine << 34 | UINT64_C(1) << 33 |
		       (pid ? (uint32_t)pid : UINT64_C(1) << 32 | cpu);
	struct slice_track *t;

	if (s->n * 2 >= s->n_slots && !grow(s))
		return NULL;
	t = find_slot(s->tracks, s->n_slots, s->seed, key);
	if (t->key)
		return t;
	if (s->n == TRACKS_MAX)
		return NULL;
	s->n++;
	*t = (struct slice_track){.key = key, .machine = machine, .pid = pid, .cpu = cpu};
	return t;
}

static int compare_tracks(const void *a, const void *b)
{
	const struct slice_track *x = *(const struct slice_track *const *)a,
				 *y = *(const struct slice_track *const *)b;

	if (x->machine != y->machine)
		return x->machine < y->machine ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

const struct slice_track **slices_list(const struct slices *s, size_t *ret_n)
{
	const struct slice_track **list = malloc((s->n + 1) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < s->n_slots; i++)
		if (s->tracks[i].key)
			list[n++] = &s->tracks[i];
	qsort(list, n, sizeof(*list), compare_tracks);
	*ret_n = n;
	return list;
}

unsigned slice_track_leave(struct slice_track *t, unsigned depth)
{
	unsigned before = t->n_open;

	while (t->n_open && t->open[t->n_open - 1] >= depth)
		t->n_open--;
	return before - t->n_open;
}

int slice_track_enter(struct slice_track *t, unsigned depth)
{
	unsigned ends = slice_track_leave(t, depth);

	if (t->n_open == SLICES_OPEN_MAX || depth > UINT8_MAX)
		return -1;
	t->open[t->n_open++] = depth;
	return ends;
}
