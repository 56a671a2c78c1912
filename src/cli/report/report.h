/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - declarations that the files of `sonde report` share: the parsed options, the opened
 * inputs.
 */
#ifndef SONDE_CLI_REPORT_REPORT_H
#define SONDE_CLI_REPORT_REPORT_H

#include "base/options.h"
#include "inputs/inputs.h"
#include "present/filelists.h"
#include "present/lines.h"
#include "present/profile/profiling.h"

struct output;

struct report_options {
	struct inputs_spec in;
	struct lines_spec show;
	struct profiling_spec profiling; /* --profile */
	bool profile;
	bool negate; /* -v precedes the next filters */
	bool test_filters;
	struct filelists_spec list; /* a list to print instead of the events */
	const char *colour;
	bool ts_check, quiet, verbose, no_pager;
};

extern const struct option_row report_rows[];
int report_add_input(struct report_options *o, const char *path, struct errmsg *err);
/* Makes the checks that need only the options. */
int report_check_options(const struct report_options *o, struct errmsg *err);
void report_options_release(struct report_options *o);

struct report {
	struct inputs in;
	const struct report_options *opts;
};

/* profile.c: prints where the time went, instead of events (--profile). The sequence is started. */
int report_profile(struct report *rep, const struct inputs_sources *src, const struct lines *lines,
		   struct output *out, struct errmsg *err);

#endif
