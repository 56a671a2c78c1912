/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orphans.h - programs that the command has started and that outlive it: daemons.
 *
 *	orphans_adopt    before the command runs
 *	orphans_are_left after it has ended, now and then
 *
 * Descendants of the command whose parent ends become our children instead of those of init, so
 * that we see when the last one ends. They notice it only if they ask for their parent.
 */
#ifndef SONDE_CAPTURE_RECORD_ORPHANS_H
#define SONDE_CAPTURE_RECORD_ORPHANS_H

#include <stdbool.h>
#include <sys/types.h>

#define ORPHANS_OWN_MAX 16

struct orphans {
	pid_t own[ORPHANS_OWN_MAX]; /* children of ours that are not the command's */
	unsigned n_own;
	bool is_open;
};

/* command: our child, or 0. */
void orphans_adopt(struct orphans *o, pid_t command);
/* Does any of them still run? False if orphans_adopt() was not called. */
bool orphans_are_left(const struct orphans *o);

#endif
