/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - what the files of `sonde report` share: the options as parsed, the inputs as opened.
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
	bool negate; /* what follows -v */
	bool test_filters;
	struct filelists_spec list; /* instead of the events */
	const char *colour;
	bool ts_check, quiet, verbose, no_pager;
};

extern const struct option_row report_rows[];
int report_add_input(struct report_options *o, const char *path, struct errmsg *err);
/* What can be told from the options alone. */
int report_check_options(const struct report_options *o, struct errmsg *err);
void report_options_release(struct report_options *o);

struct report {
	struct inputs in;
	const struct report_options *opts;
};

/* profile.c: what became of the time instead (--profile). The sequence is started. */
int report_profile(struct report *rep, const struct inputs_sources *src, const struct lines *lines,
		   struct output *out, struct errmsg *err);

#endif
