/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplefunctions.h - `sonde functions` of a file with samples.
 */
#ifndef SONDE_CLI_SAMPLES_SAMPLEFUNCTIONS_H
#define SONDE_CLI_SAMPLES_SAMPLEFUNCTIONS_H

#include "analyse/calls/callfilter.h"
#include "base/errmsg.h"
#include "cli/ask/gather.h"
#include "cli/samples/sampleopts.h"

struct samplefunctions {
	struct sample_options *samples;
	struct gather_options *gather; /* file, range, output */
	const char *by, *sort;
	const char *min_percent; /* NULL: all rows */
	const char *const *only; /* globs of functions; none: all */
	size_t n_only;
	const char *const *never; /* globs of functions that are left out */
	size_t n_never;
	bool lines; /* source lines are a key */
};

/* Prints the tables of the file. Returns the exit status or a negative errno with a message. */
int samplefunctions_run(const struct samplefunctions *f, struct errmsg *err);

#endif
