/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * countopts.h - what `sonde counters` and `sonde as perf stat` have in common: options to a run.
 */
#ifndef SONDE_CLI_COUNTERS_COUNTOPTS_H
#define SONDE_CLI_COUNTERS_COUNTOPTS_H

#include "base/errmsg.h"
#include "capture/perf/events/perfevents.h"
#include "live/counters/countrun.h"

struct textbuf;

struct countopts {
	struct perfevents events;
	struct countrun_config run; /* events and first_optional are set by countopts_finish() */
	unsigned detail;	    /* number of -d */
	bool is_all_user, is_all_kernel;
	bool is_null; /* count nothing, only the time */
};

/* Adds -e TEXT. */
int countopts_add_events(struct countopts *o, const char *text, struct errmsg *err);
/* Adds the default events and those of -d. argv: the command, or NULL. */
int countopts_finish(struct countopts *o, char **argv, struct errmsg *err);
void countopts_release(struct countopts *o);

/* Writes what is counted: "'sleep 1'", "'system wide'", "process id '12'", as perf does. */
void countopts_fmt_title(const struct countopts *o, struct textbuf *tb);
/* The exit status of a run: the command's, or 128 + its signal. */
int countopts_status(const struct countrun_result *r);

/* Prints the events that this machine knows, one in a line. */
int countopts_print_list(struct errmsg *err);

#endif
