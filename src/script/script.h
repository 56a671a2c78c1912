/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - a script of the user, which is called for every call and every event of a trace.
 *
 *  script_open ─▶ script_begin ─▶ script_add … (in the order of time) ─▶ script_end ─▶ script_close
 *
 * The script is written in Lua or in Python; the end of its file name says which. It defines some
 * of these functions; the first name that exists is used:
 *
 *	sonde_begin, uftrace_begin, trace_begin    before the first event
 *	sonde_entry, uftrace_entry                 a function is called
 *	sonde_exit, uftrace_exit                   it returns
 *	SYSTEM__NAME                               this event
 *	sonde_event, uftrace_event, trace_unhandled   any other event
 *	sonde_lost                                 events were lost
 *	sonde_end, uftrace_end, trace_end          after the last event
 *
 * The script runs with the rights of this process: the caller gives them up before script_open().
 * Only one thread may use it at a time.
 */
#ifndef SONDE_SCRIPT_SCRIPT_H
#define SONDE_SCRIPT_SCRIPT_H

#include "analyse/calls/replay.h"
#include "base/scope.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;
struct formats;
struct script;

struct script_spec {
	const char *path;
	const char *const *args; /* of the script */
	size_t n_args;
	const char *trace; /* its name, for the script */
	bool is_recording; /* the trace was recorded for this script */
};

/*
 * Loads the script and runs its top level. f: NULL if there will be no events, only calls. -EBADMSG
 * with "FILE:LINE: why": the script is wrong.
 */
int script_open(struct script **ret, const struct script_spec *spec, struct formats *f,
		struct errmsg *err);
/* Is there a function for events that are not about calls? */
bool script_wants_events(const struct script *s);

/*
 * A failure of the script is negative, with "FILE:LINE: why". 1: the script wants no more (it has
 * ended by itself).
 */
int script_begin(struct script *s, struct errmsg *err);
int script_add(struct script *s, const struct replay_item *item, struct errmsg *err);
/*
 * An event that is no record of a trace, but of a uftrace.data directory. item: its time, task and
 * level.
 */
struct script_event {
	const char *name, *text; /* text: "" if it has no data */
	uint64_t number;
};
int script_add_event(struct script *s, const struct replay_item *item,
		     const struct script_event *event, struct errmsg *err);
/* *ret_status: the exit status that the script asks for, mostly 0. */
int script_end(struct script *s, int *ret_status, struct errmsg *err);
void script_close(struct script *s);
SCOPED_POINTER(struct script, script_close)

/* A script to begin with, for "lua" or "py"; NULL: no such language. */
const char *script_example(const char *language);

#endif
