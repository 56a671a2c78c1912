// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * waitplace.c - names of functions that are on top of many kernel stacks.
 *
 *	trace_event_raw_event_sched_switch ← __schedule ← schedule ← pipe_read ← vfs_read ← …
 *	└ the tracer                         └ general waits         └ where the task waits
 *
 * A name matches by its beginning: compilers add suffixes such as .isra.0.
 */
#include "analyse/sched/waitplace.h"

#include "base/array.h"

#include <string.h>

static bool begins_with_one(const char *name, size_t len, const char *const *list, size_t n)
{
	return ARRAY_ANY(n, i, len >= strlen(list[i]) && !memcmp(name, list[i], strlen(list[i])));
}

bool frame_is_of_tracer(const char *name, size_t len)
{
	static const char *const beginnings[] = {"trace_event_raw_event_",
						 "trace_event_buffer_",
						 "trace_raw_output_",
						 "__traceiter_",
						 "kprobe_",
						 "ftrace_",
						 "event_triggers_",
						 "__ftrace_"};

	return begins_with_one(name, len, beginnings, ARRAY_LEN(beginnings));
}

bool frame_is_general_wait(const char *name, size_t len)
{
	static const char *const beginnings[] = {
		"schedule",	     "__schedule",
		"io_schedule",	     "preempt_schedule",
		"__cond_resched",    "wait_for_completion",
		"__wait_for_common", "bit_wait",
		"__wait_on_bit",     "out_of_line_wait_on_bit",
	};

	return begins_with_one(name, len, beginnings, ARRAY_LEN(beginnings));
}
