/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what the files of `sonde report` share: the options as parsed, the inputs as opened.
 */
#ifndef SONDE_CLI_REPORT_H
#define SONDE_CLI_REPORT_H

#include "present/profile/profiling.h"
#include "inputs/inputs.h"
#include "present/lines.h"

struct output;

struct report_options {
	struct inputs_spec in;
	struct lines_spec show;
	struct profiling_spec profiling; /* --profile */
	bool profile;
	bool negate; /* what follows -v */
	bool test_filters;
	bool list_functions, list_printk, list_events, print_events, list_cpus;
	bool first_event, last_event, endian, page_size;
	bool stat, uname, version, check_events, processes;
	const char *event_regex, *colour;
	bool ts_check, quiet, verbose, no_pager;
};

struct report {
	struct inputs in;
	const struct report_options *opts;
};

/* inputs_filter(), and prints what it notes; -T: the filters, too. */
int report_filter(struct report *rep, bool *ret_any, struct errmsg *err);

/* report_list.c: -f -P -E --events … ; 1 if one was asked for and printed, 0 if none was. */
int report_list(struct report *rep, struct errmsg *err);
void report_print_version(const struct report *rep, size_t file); /* --verbose */

/* report_run.c: the events themselves. */
int report_run(struct report *rep, struct errmsg *err);

/* report_profile.c: what became of the time instead (--profile). The sequence is started. */
int report_profile(struct report *rep, const struct inputs_sources *src, const struct lines *lines,
		   struct output *out, struct errmsg *err);

#endif
