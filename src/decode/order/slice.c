// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * slice.c - parts of a trace for several workers.
 *
 *	CPU 0  ──page──┼──page───page──┼──page──        a binary search over the parts' times finds
 *	CPU 1  ─page──page┼──page──page┼─page───        the first record of a slice on each CPU
 *	                 from          to
 *
 * A place is the position of a record among the bytes of its CPU's sub-buffers. If the times of a
 * CPU go backwards, a binary search finds no place that a walk from the beginning would have passed
 * at that time; then the places of two neighbours differ.
 */
#include "decode/order/slice.h"

#include "decode/order/sequence_int.h"
#include "store/live/livepages.h"

size_t sequence_n_places(const struct sequence *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_sources; i++) {
		const struct source *src = s->sources[i];

		for (size_t k = 0; k < src->n_cursors; k++)
			if (!pagestream_can_seek(src->cursors[k].ps))
				return 0;
		n += src->n_cursors;
	}
	return s->is_live ? 0 : n;
}

void sequence_places(const struct sequence *s, uint64_t *ret_places)
{
	for (size_t i = 0; i < s->n_sources; i++)
		for (size_t k = 0; k < s->sources[i]->n_cursors; k++) {
			const struct cursor *c = &s->sources[i]->cursors[k];

			*ret_places++ = c->live ? pagestream_position(c->ps) +
							  (uint64_t)(c->rec.data - c->page.data)
						: UINT64_MAX;
		}
}

void sequence_cut(struct sequence *s, uint64_t from, uint64_t to)
{
	sequence_set_range(s, from, to);
	for (size_t i = 0; i < s->n_sources; i++) {
		struct source *src = s->sources[i];

		src->pending = NULL;
		src->done = false;
		cursors_seek(s, src, from);
	}
}
