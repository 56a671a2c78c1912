// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * kinds.c - finds the streams, kinds of events and tasks of a lane, in the form that walks need.
 *
 * The same event in two buffers or files is two kinds, and the same CPU in two buffers is two
 * streams: a lane uses all of its machine. Kinds are numbered in the order of appearance, so a mask
 * may miss some while the index grows; the lane is rebuilt when the index is complete (lane.c).
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/lanes/lane_int.h"

#include <errno.h>
#include <stdlib.h>

int lane_check_machine(struct lane *ln, struct errmsg *err)
{
	struct timeline *tl = ln->owner->tl;

	if (ln->spec.type == LANE_OF_FOUND)
		return 0;
	for (size_t i = 0; i < timeline_n_sources(tl); i++)
		if (timeline_source(tl, i)->machine == ln->spec.machine)
			return 0;
	return errmsg_set(err, -EINVAL, "There is no machine %u in the trace.", ln->spec.machine);
}

int lane_take_streams(struct lane *ln, uint32_t machine, int cpu)
{
	struct timeline *tl = ln->owner->tl;
	size_t n = timeline_n_streams(tl);

	free(ln->streams);
	ln->n_streams = 0;
	ln->streams = calloc(n + 1, sizeof(*ln->streams));
	if (!ln->streams)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct timeline_stream *st = timeline_stream(tl, i);

		if (timeline_source(tl, st->source)->machine == machine &&
		    (cpu < 0 || st->cpu == (uint32_t)cpu))
			ln->streams[ln->n_streams++] = i;
	}
	return 0;
}

int mask_add_kind(struct walk_mask *m, size_t bit)
{
	if (bit >= m->n) {
		size_t n = bit + 64, old = m->bits ? m->n / 8 + 1 : 0;
		uint8_t *more = realloc(m->bits, n / 8 + 1);

		if (!more)
			return -ENOMEM;
		memset(more + old, 0, n / 8 + 1 - old);
		m->bits = more;
		m->n = n;
	}
	bit_set(m->bits, bit);
	return 0;
}

int lane_take_kinds(struct lane *ln, struct walk_mask *m, const struct spec_event *e, size_t *ret_n)
{
	struct timeline *tl = ln->owner->tl;
	size_t n = 0;

	for (size_t i = 0; i < timeline_n_kinds(tl); i++) {
		const struct timeline_kind *k = timeline_kind(tl, i);
		int r;

		if (!k->event || timeline_source(tl, k->source)->machine != ln->spec.machine ||
		    strcmp(k->event->system, e->system) || strcmp(k->event->name, e->name))
			continue;
		r = mask_add_kind(m, i);
		TRY(r);
		n++;
	}
	*ret_n = n;
	return 0;
}

int lane_take_task(struct lane *ln, int pid)
{
	int task = timeline_find_task(ln->owner->tl, ln->spec.machine, pid);

	return task < 0 ? -ENOENT : mask_add_kind(&ln->tasks, task);
}

bool lanes_next_machine(const struct timeline *tl, size_t *source, uint32_t *ret)
{
	for (; *source < timeline_n_sources(tl); (*source)++) {
		uint32_t machine = timeline_source(tl, *source)->machine;
		bool is_new = true;

		for (size_t i = 0; i < *source; i++)
			is_new &= timeline_source(tl, i)->machine != machine;
		if (!is_new)
			continue;
		*ret = machine;
		(*source)++;
		return true;
	}
	return false;
}
