// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * slicecuts.c - cuts a range into slices so that all threads have about the same work.
 *
 *	stream 0   [seg ][seg ][seg ][seg ]                     many events here,
 *	stream 1        [seg   ][seg            ][seg      ]    few there
 *	slices     |    |    |  |  |    |          |       |
 *
 * The work depends on the number of pages, and segments have about equally many. So a cut is at the
 * beginning of a segment, whenever enough pages have accumulated. This reads no page.
 */
#include "base/array.h"
#include "base/scope.h"
#include "timeline/index/slicecuts.h"
#include "timeline/timeline_int.h"

#include <errno.h>
#include <stdlib.h>

struct edge { /* the beginning of a segment */
	uint64_t ts, n_pages;
};

ARRAY_ORDER(compare_edges, struct edge, COMPARE(x->ts, y->ts))

static struct edge *list_edges(struct timeline *tl, uint64_t from, uint64_t to, size_t *ret_n)
{
	size_t n = 0, n_streams = timeline_n_streams(tl);
	struct edge *edges;

	for (size_t i = 0; i < n_streams; i++)
		n += tl->streams[i]->n_segments;
	edges = malloc((n + 1) * sizeof(*edges));
	n = 0;
	for (size_t i = 0; edges && i < n_streams; i++)
		for (size_t k = 0; k < tl->streams[i]->n_segments; k++) {
			const struct index_segment *seg = tl->streams[i]->segments[k];

			if (segment_page_ts(seg, 0) <= to && seg->end_ts >= from)
				edges[n++] = (struct edge){segment_page_ts(seg, 0), seg->n_pages};
		}
	*ret_n = n;
	return edges;
}

int slice_cuts(struct timeline *tl, uint64_t from, uint64_t to, int level, uint64_t *cuts,
	       size_t max, size_t *ret_n)
{
	uint64_t all = 0, sum = 0, each;
	size_t n, n_slices = 1;
	SCOPED(scope_free) struct edge *edges = NULL;

	timeline_enter(tl);
	edges = list_edges(tl, from, to, &n);
	timeline_leave(tl);
	if (!edges)
		return -ENOMEM;
	qsort(edges, n, sizeof(*edges), compare_edges);
	for (size_t i = 0; i < n; i++)
		all += edges[i].n_pages;
	each = all / max + 1;
	cuts[0] = from;
	for (size_t i = 0; i < n && n_slices < max; i++) {
		uint64_t at = edges[i].ts >> level << level;

		if (sum >= each && at > cuts[n_slices - 1] && at <= to) {
			cuts[n_slices++] = at;
			sum = 0;
		}
		sum += edges[i].n_pages;
	}
	cuts[n_slices] = to + 1;
	*ret_n = n_slices;
	return 0;
}
