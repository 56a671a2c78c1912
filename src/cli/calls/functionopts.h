/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functionopts.h - the options of `sonde functions`, and what they mean together.
 */
#ifndef SONDE_CLI_CALLS_FUNCTIONOPTS_H
#define SONDE_CLI_CALLS_FUNCTIONOPTS_H

#include "analyse/calltimes.h"
#include "base/errmsg.h"
#include "capture/plan.h"
#include "cli/ask/gather.h"
#include "cli/calls/timesdiff.h"
#include "cli/samples/sampleopts.h"
#include "present/result/calltimestext.h"

#define FUNCTIONOPTS_FILE "trace.dat" /* if nothing says what to trace */

struct functions_options {
	struct gather_options gather; /* must be the first member */
	struct calltimes_config config;
	struct sample_options samples;
	const char *by, *sort, *fields, *percent;
	struct calltimes_columns columns;
	bool sources;
	struct calltimes *calls;
	struct plan_words only, never; /* with -u: -l and -n, which the kernel does not get */
	struct timesdiff diff;
};

/* Parses keys, columns and order, and decides which functions are shown. -EINVAL with a message. */
int functionopts_check(struct functions_options *o, struct errmsg *err);
/* Refuses options that are for a file, or for one alone. */
int functionopts_check_file(const struct functions_options *o, struct errmsg *err);
/* Refuses options that have no effect on a file, on samples, or on calls. */
int functionopts_refuse(const struct functions_options *o, bool of_samples, struct errmsg *err);
/* Is nothing said about what to trace, and is there a file? */
bool functionopts_are_about_file(const struct functions_options *o, int n_words);
/* Chooses the tracer of a live run: none for functions of programs alone. */
int functionopts_choose_tracer(struct functions_options *o, struct errmsg *err);

#endif
