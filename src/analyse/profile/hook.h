/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.h - a pair of events that a user wants timed, as trace-cmd's -H writes it:
 *
 *	[START_SYSTEM:]START_EVENT,START_MATCH[,START_PID]/[END_SYSTEM:]END_EVENT,END_MATCH[,FLAGS]
 *
 * The time from a START_EVENT to the END_EVENT whose field END_MATCH has the value that START_MATCH
 * had. START_PID names a field that holds the task it is about (default: the task it happened in).
 * FLAGS: p the pair stays on one CPU, g it belongs to the machine and not to a task, s record the
 * stack at the start (which is for the recorder; here it changes nothing).
 */
#ifndef SONDE_ANALYSE_PROFILE_HOOK_H
#define SONDE_ANALYSE_PROFILE_HOOK_H

#include "base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>

#define PROFILE_HOOKS_MAX 256

struct profile_hook {
	char *text; /* what the other pointers point into */
	const char *start_system, *start_event, *start_match,
		*start_pid;					/* systems, pid: or NULL */
	const char *end_system, *end_event, *end_match, *flags; /* flags: or NULL */
	bool pinned, global, stack;
	bool may_be_absent; /* no mistake if the trace does not know its events: it came with the file */
};

/* len bytes of text. 0, -EINVAL or -ENOMEM. Unknown flags are refused. */
int profile_hook_parse(struct profile_hook *ret, const char *text, size_t len, struct errmsg *err);
void profile_hook_release(struct profile_hook *hook);

#endif
