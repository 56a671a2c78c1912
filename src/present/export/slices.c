// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slices.c - follows the open functions of each task.
 *
 * Tracks are in a map by task. The idle task of every CPU has pid 0, so for it the CPU is part of
 * the key. The first function of a trace may have any depth; its callers are unknown and not
 * opened, so a track stores the depths of functions that began in the trace.
 */
#include "present/export/slices.h"

#include "base/array.h"
#include "decode/callevent.h"
#include "present/line.h"

#include <stdlib.h>

#define TRACKS_MAX	 65536
#define TRACKS_MAX_BYTES (32u << 20)

void slices_init(struct slices *s)
{
	*s = (struct slices){0};
	arena_init(&s->arena, TRACKS_MAX_BYTES);
}

void slices_release(struct slices *s)
{
	for (size_t i = 0; i < s->tracks.n_slots; i++)
		if (s->tracks.slots[i].value)
			free(((struct slice_track *)s->tracks.slots[i].value)->open);
	map_release(&s->tracks);
	arena_release(&s->arena);
}

struct slice_track *slices_get(struct slices *s, uint32_t machine, int pid, uint32_t cpu)
{
	uint64_t key = (uint64_t)machine << 34 | UINT64_C(1) << 33 |
		       (pid ? (uint32_t)pid : UINT64_C(1) << 32 | cpu);
	void **slot = map_take(&s->tracks, key, TRACKS_MAX);
	struct slice_track *t = slot ? *slot : NULL;

	if (!slot || t)
		return t;
	*slot = t = arena_alloc(&s->arena, sizeof(*t));
	if (t)
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
	const struct slice_track **list = malloc((s->tracks.n + 1) * sizeof(*list));
	size_t n = 0;

	if (!list)
		return NULL;
	for (size_t i = 0; i < s->tracks.n_slots; i++)
		if (s->tracks.slots[i].value)
			list[n++] = s->tracks.slots[i].value;
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

	if (!ARRAY_ROOM(t->open, t->cap, t->n_open + 1, SLICES_OPEN_MAX))
		return -1;
	t->open[t->n_open++] = depth;
	return (int)ends;
}

/* --- events about calls ----------------------------------------------------------------------- */

struct call_kinds **slices_kinds_new(const struct line_style *style)
{
	struct call_kinds **kinds = calloc(style->n_sources + 1, sizeof(struct call_kinds *));

	for (size_t i = 0; kinds && i < style->n_sources; i++) {
		kinds[i] = malloc(sizeof(**kinds));
		if (!kinds[i]) {
			slices_kinds_free(kinds);
			return NULL;
		}
		call_kinds_init(kinds[i], style->sources[i].formats);
	}
	return kinds;
}

void slices_kinds_free(struct call_kinds **kinds)
{
	for (size_t i = 0; kinds && kinds[i]; i++)
		free(kinds[i]);
	free(kinds);
}

unsigned slices_depth(const struct call_kind *kind, const struct call_event *ev)
{
	unsigned depth = ev->depth < SLICES_KERNEL_DEPTH ? ev->depth : SLICES_KERNEL_DEPTH - 1;

	return kind->is_user ? depth : SLICES_KERNEL_DEPTH + depth;
}
