/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * hook.h - a pair of events that the user wants to time, in the syntax of trace-cmd's -H:
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
	char *text; /* the text into which the other pointers point */
	const char *start_system, *start_event, *start_match,
		*start_pid;					/* systems and pid may be NULL */
	const char *end_system, *end_event, *end_match, *flags; /* flags may be NULL */
	bool pinned, global, stack;
	/* the hook came with the file, so it is no error if the trace lacks its events */
	bool may_be_absent;
};

/* Parses len bytes of text. Returns 0, -EINVAL or -ENOMEM. Unknown flags are refused. */
int profile_hook_parse(struct profile_hook *ret, const char *text, size_t len, struct errmsg *err);
void profile_hook_release(struct profile_hook *hook);

#endif
