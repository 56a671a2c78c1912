// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedgaps.c - finds where events were lost.
 *
 *	CPU 0   ──●──●──●──●──●──●──●──
 *	CPU 1   ──●──●░░░░░░░░░░●──●──●    RECORD_MISSED at the first record after the gap
 *	             └ from      └ to
 *
 * Before the first record of a CPU, a gap begins at 0. Ranges of all CPUs are merged: what matters
 * is whether anything was lost anywhere, because a task may have run there.
 */
#include "analyse/sched/schedgaps.h"

#include "base/array.h"

#include <stdlib.h>

#define LAST_MAX   (1u << 22)
#define RANGES_MAX (1u << 24)

void schedgaps_add(struct schedgaps *g, const struct record *rec)
{
	size_t at = (size_t)rec->source * 4096 + rec->cpu % 4096;

	if (!ARRAY_ROOM(g->last, g->n_last, at + 1, LAST_MAX)) {
		g->is_full |= rec->flags & RECORD_MISSED;
		return;
	}
	if (rec->flags & RECORD_MISSED) {
		if (ARRAY_ROOM(g->list, g->cap, g->n + 1, RANGES_MAX))
			g->list[g->n++] =
				(struct schedgap_range){g->last[at] ? g->last[at] - 1 : 0, rec->ts};
		else
			g->is_full = true;
	}
	g->last[at] = rec->ts + 1;
}

ARRAY_ORDER(by_start, struct schedgap_range, COMPARE(x->from, y->from) ?: COMPARE(x->to, y->to))

void schedgaps_finish(struct schedgaps *g)
{
	size_t n = 0;

	if (!g->n)
		return;
	qsort(g->list, g->n, sizeof(*g->list), by_start);
	for (size_t i = 1; i < g->n; i++) {
		if (g->list[i].from > g->list[n].to)
			g->list[++n] = g->list[i];
		else if (g->list[i].to > g->list[n].to)
			g->list[n].to = g->list[i].to;
	}
	g->n = n + 1;
}

void schedgaps_release(struct schedgaps *g)
{
	free(g->last);
	free(g->list);
	*g = (struct schedgaps){0};
}

bool schedgaps_overlap(const struct schedgaps *g, uint64_t from, uint64_t to)
{
	size_t i = ARRAY_BISECT(g->n, k, g->list[k].to <= from);

	return g->is_full || (i < g->n && g->list[i].from < to);
}
