/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taskmatch.h - finds the tasks that a word names: a pid, a name, a glob, or NAME-PID as report
 * prints it.
 */
#ifndef SONDE_TIMELINE_TASKMATCH_H
#define SONDE_TIMELINE_TASKMATCH_H

#include "timeline/timeline.h"

/*
 * Stores the numbers of the matching tasks in ret, at most max, the longest running first. Returns
 * the number of all matches. machine -1: any machine; word NULL: any task. Excludes idle tasks.
 */
size_t tasks_match(const struct timeline *tl, int machine, const char *word, uint16_t *ret,
		   size_t max);

#endif
