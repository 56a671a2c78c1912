/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskmatch.h - which tasks a person means by a word: a pid, a name, or both as report shows them, NAME-PID.
 */
#ifndef SONDE_TIMELINE_TASKMATCH_H
#define SONDE_TIMELINE_TASKMATCH_H

#include "timeline/timeline.h"

/*
 * Puts the numbers of the tasks into ret, at most max, those that ran longest first; returns how many there are in all.
 * machine -1: of all machines; word NULL: all tasks. Idle tasks are not among them.
 */
size_t tasks_match(const struct timeline *tl, int machine, const char *word, uint16_t *ret,
		   size_t max);

#endif
