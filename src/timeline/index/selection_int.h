/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * selection_int.h - the data of a selection: one bit for each event, a sum for each page.
 */
#ifndef SONDE_TIMELINE_INDEX_SELECTION_INT_H
#define SONDE_TIMELINE_INDEX_SELECTION_INT_H

#include "timeline/timeline_int.h"

struct sel_segment {
	uint32_t n_pages, n_events; /* numbers of the segment when it was matched */
	uint32_t count;
	uint32_t *page_first; /* n_pages + 1 numbers of selected events before a page */
	uint64_t *bits;
};

struct sel_stream {
	struct sel_segment *segments;
	size_t n_segments;
};

struct selection {
	struct timeline *tl;
	struct sel_stream *streams;
	size_t n_streams;
	uint64_t count;
	/* number of dropped segments of the timeline when the selection was made */
	uint32_t n_drops;
	_Atomic unsigned n_refs;
};

/* Returns NULL if the selection has no data of this segment. */
static inline const struct sel_segment *selection_segment(const struct selection *sel,
							  uint32_t stream, size_t segment)
{
	return stream < sel->n_streams && segment < sel->streams[stream].n_segments
		       ? &sel->streams[stream].segments[segment]
		       : NULL;
}

static inline bool sel_segment_has(const struct sel_segment *ss, uint32_t i)
{
	return i < ss->n_events && ss->bits[i / 64] >> i % 64 & 1;
}

/* Returns the number of selected events among the events [from, to) of a segment. */
uint32_t sel_segment_count(const struct sel_segment *ss, uint32_t from, uint32_t to);

#endif
