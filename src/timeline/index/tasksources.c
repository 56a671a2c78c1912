// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tasksources.c - finds the files and buffers that have events of a task.
 *
 * Files of one machine share their tasks, so a task does not belong to one file. But the index has
 * the task of each event in a column, 2 bytes each, and this code reads the column, in 0.1 s for
 * 100 million events. This is needed only with several files.
 */
#include "timeline/timeline_int.h"

/*
 * Marks the source in each task of the segment. If `only` is a task, marks only this one, and
 * returns true if it was found.
 */
static bool mark_segment(const struct index_segment *seg, uint64_t bit, int only, uint64_t *ret,
			 size_t n_tasks)
{
	for (uint32_t i = 0; i < seg->n_events; i++) {
		uint16_t task = seg->tasks[i];

		if (only >= 0 && task == only)
			return true;
		if (only < 0 && task < n_tasks)
			ret[task] |= bit;
	}
	return false;
}

static void mark_all(struct timeline *tl, int only, uint64_t *ret, size_t n_tasks)
{
	timeline_enter(tl);
	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		const struct stream *st = timeline_find_stream(tl, i);
		uint16_t source = timeline_stream(tl, i)->source;
		uint64_t bit = UINT64_C(1) << source % 64;

		if (!st || source >= TIMELINE_TOLD_SOURCES || (only >= 0 && *ret & bit))
			continue;
		for (size_t s = 0; s < st->n_segments; s++) {
			const struct index_segment *seg = st->segments[s];

			if (segment_is_ready(seg) && mark_segment(seg, bit, only, ret, n_tasks)) {
				*ret |= bit;
				break;
			}
		}
	}
	timeline_leave(tl);
}

uint64_t timeline_task_sources(struct timeline *tl, uint16_t task)
{
	uint64_t sources = 0;

	mark_all(tl, task, &sources, 0);
	return sources;
}

void timeline_tasks_sources(struct timeline *tl, uint64_t *ret, size_t n)
{
	memset(ret, 0, n * sizeof(*ret));
	mark_all(tl, -1, ret, n);
}
