/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - a pair of events to be timed for the user, in the syntax of trace-cmd's -H:
 *
 *	[START_SYSTEM:]START_EVENT,START_MATCH[,START_PID]/[END_SYSTEM:]END_EVENT,END_MATCH[,FLAGS]
 *
 * It measures the time from a START_EVENT to the END_EVENT whose field END_MATCH has the value of
 * START_MATCH. START_PID names a field with the task concerned (default: the task of the event).
 * FLAGS: p the pair stays on one CPU, g it belongs to the machine and not to a task, s record the
 * stack at the start (for the recorder; it has no effect here).
 */
#ifndef SONDE_ANALYSE_PROFILE_HOOK_H
#define SONDE_ANALYSE_PROFILE_HOOK_H

#include "base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>

#define PROFILE_HOOKS_MAX 256

struct profile_hook {
	char *text; /* the other pointers point into it */
	const char *start_system, *start_event, *start_match,
		*start_pid;					/* systems, pid: or NULL */
	const char *end_system, *end_event, *end_match, *flags; /* flags: or NULL */
	bool pinned, global, stack;
	/* no error if the trace does not have its events: it came with the file */
	bool may_be_absent;
};

/* len bytes of text. 0, -EINVAL or -ENOMEM. Unknown flags are refused. */
int profile_hook_parse(struct profile_hook *ret, const char *text, size_t len, struct errmsg *err);
void profile_hook_release(struct profile_hook *hook);

#endif
