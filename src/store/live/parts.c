// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * parts.c - drops old data from all regions of a buffer at once.
 *
 *	CPU 0   ··· part 3 ···├ part 4 ┤├ part 5       ┤├ part 6 …
 *	CPU 1   ··· part 3 ···├ part 4           ┤├ 5 ┤├ part 6 …
 *	                      ╰ the file begins here
 *
 * A thread that moves between CPUs has its calls in several regions. If each region dropped what is
 * old in it, the entry of one call would meet the exit of a later one, with a wrong duration. So
 * the regions are cut into parts, all at the same event, and the oldest part is dropped from all of
 * them. The remaining events are complete.
 *
 * A part ends when one region has got a LIVEFILE_DROP_PART of its limit. PARTS_MAX only limits the
 * memory: it takes a program that moves on to another CPU after each part.
 */
#include "base/array.h"
#include "base/scope.h"
#include "store/live/livefile_int.h"

#include <errno.h>
#include <string.h>

#define PARTS_MAX 64u

static uint64_t part_start(const struct liveregion *r)
{
	const struct livebuffer *b = &r->file->buffers[r->buffer];

	return b->n_parts ? b->cuts[(size_t)(b->n_parts - 1) * b->n_cpus + r->cpu].next : r->start;
}

bool liveregion_wants_cut(const struct liveregion *r)
{
	return liveregion_is_joint(r) && r->max_bytes &&
	       r->end - part_start(r) >= r->max_bytes / LIVEFILE_DROP_PART;
}

/* The next part must find room in every region. */
static bool is_full(const struct livebuffer *b)
{
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		const struct liveregion *r = &b->regions[cpu];

		if (r->end - r->start > r->max_bytes - 2 * (r->max_bytes / LIVEFILE_DROP_PART))
			return true;
	}
	return b->n_parts == PARTS_MAX;
}

static int drop_oldest(struct livebuffer *b)
{
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct liveregion *r = &b->regions[cpu];

		TRY(liveregion_drop_to(r, b->cuts[cpu].next, r->n_chunks - b->cuts[cpu].n_chunks));
	}
	b->n_parts--;
	memmove(b->cuts, b->cuts + b->n_cpus, (size_t)b->n_parts * b->n_cpus * sizeof(*b->cuts));
	return 0;
}

int livefile_cut(struct livefile *f, int buffer)
{
	struct livebuffer *b = &f->buffers[buffer];
	size_t at = (size_t)b->n_parts * b->n_cpus;

	if (!ARRAY_ROOM(b->cuts, b->cuts_cap, at + b->n_cpus, ARRAY_NO_MAX))
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < b->n_cpus; cpu++) {
		struct liveregion *r = &b->regions[cpu];
		uint32_t before = 0;

		for (uint32_t part = 0; part < b->n_parts; part++)
			before += b->cuts[(size_t)part * b->n_cpus + cpu].n_chunks;
		b->cuts[at + cpu] = (struct livecut){
			r->end > r->start ? r->end - liveregion_count_bytes(r) : r->start,
			r->n_chunks - before};
	}
	b->n_parts++;
	while (b->n_parts > 1 && is_full(b))
		TRY(drop_oldest(b));
	return 0;
}
