/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - the samples of a perf.data as lines, as perf script prints them.
 *
 *	            perf 10626 [000]  1043.377616:   sched:sched_waking: comm=migration/0 pid=18 …
 *	w 10621  1041.063833:     250000 cpu-clock:ppp: ⏎ ⇥ ffffffff81687db5 handle_mm_fault+0x85
 *	                          (…)
 *
 * One owner.
 */
#ifndef SONDE_PRESENT_PERFDATA_SCRIPT_H
#define SONDE_PRESENT_PERFDATA_SCRIPT_H

#include "inputs/perfdata/session.h"

struct errmsg;
struct textbuf;
struct perfscript;

enum perfscript_field {
	PERFSCRIPT_COMM = 1 << 0,
	PERFSCRIPT_TID = 1 << 1,
	PERFSCRIPT_PID = 1 << 2,
	PERFSCRIPT_TIME = 1 << 3,
	PERFSCRIPT_CPU = 1 << 4,
	PERFSCRIPT_EVENT = 1 << 5,
	PERFSCRIPT_TRACE = 1 << 6,
	PERFSCRIPT_IP = 1 << 7,
	PERFSCRIPT_SYM = 1 << 8,
	PERFSCRIPT_DSO = 1 << 9,
	PERFSCRIPT_ADDR = 1 << 10,
	PERFSCRIPT_SYMOFF = 1 << 11,
	PERFSCRIPT_PERIOD = 1 << 12,
	PERFSCRIPT_SRCLINE = 1 << 13,
	PERFSCRIPT_MISC = 1 << 14,
};

#define PERFSCRIPT_KINDS 7 /* PERF_TYPE_HARDWARE … PERF_TYPE_BREAKPOINT, and all others */

/* What -F said of a kind of event. */
struct perfscript_choice {
	bool is_whole; /* fields replace perf's defaults */
	uint32_t fields;
	uint32_t add, drop; /* to the defaults */
};

struct perfscript_config {
	struct perfscript_choice kinds[PERFSCRIPT_KINDS];
	bool full_path; /* of source files */
	bool ns;	/* times have nine digits */
	bool no_chain;	/* -G */
	bool no_inline;
	bool reltime, deltatime;
	size_t max_stack; /* 0: no limit */
};

/*
 * config must stay. NULL in *ret on failure: a field was asked for that samples do not have, or
 * there is no memory.
 */
int perfscript_new(struct perfscript **ret, struct perfsession *session,
		   const struct perfscript_config *config, struct errmsg *err);
void perfscript_free(struct perfscript *p);
SCOPED_POINTER(struct perfscript, perfscript_free)

/* "comm,tid", "trace:+time,-cpu": see perf-script(1), -F. -EINVAL with a message. */
int perfscript_parse_fields(struct perfscript_config *config, const char *words,
			    struct errmsg *err);
/* Adds the lines of the sample. */
void perfscript_add(struct perfscript *p, const struct perfsample *sample, struct textbuf *tb);

#endif
