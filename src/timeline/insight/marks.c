// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * marks.c - gathers marks for one caller, with a separate pass over the trace.
 *
 * passes.c does the work; this file translates a request for marks (streams, kinds, tasks, a
 * function that makes a mark from an event) into a request for items. Code that builds several
 * lanes at once combines the requests into one pass instead. The caller frees the returned list;
 * MARKS_MAX limits it.
 */
#include "timeline/insight/marks.h"

void marks_want(struct gatherer *g, const struct mark_wants *wants)
{
	*g = (struct gatherer){.streams = wants->streams,
			       .n_streams = wants->n_streams,
			       .kinds = wants->kinds,
			       .n_kinds = wants->n_kinds,
			       .tasks = wants->tasks,
			       .n_tasks = wants->n_tasks,
			       .take = wants->make,
			       .ctx = wants->ctx,
			       .item_bytes = sizeof(struct mark),
			       .items_max = MARKS_MAX};
}

int marks_gather(struct marks *ret, struct timeline *tl, const struct mark_wants *wants)
{
	struct gatherer g;
	int r;

	marks_want(&g, wants);
	r = gather(tl, &g, 1, wants->from, wants->to);
	*ret = (struct marks){g.items, g.n_items};
	return r < 0 ? r : g.error;
}
