/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timesdiff.h - `functions --diff`: the calls of two traces, compared.
 */
#ifndef SONDE_CLI_CALLS_TIMESDIFF_H
#define SONDE_CLI_CALLS_TIMESDIFF_H

#include "analyse/calltimes.h"
#include "base/errmsg.h"
#include "cli/ask/gather.h"
#include "cli/calls/callopts.h"
#include "present/result/calltimestext.h"

struct timesdiff {
	const char *path;	     /* of the other trace; NULL: none */
	struct call_options options; /* of `run`, which keeps a pointer to them */
	/* the other trace, open until the output is complete, so that it is not overwritten */
	struct callrun run;
};

/* Reads the other trace, and writes how it differs from v->calls. */
int timesdiff_fmt(struct timesdiff *d, const struct calltimes_view *v,
		  const struct calltimes_config *config, enum gather_output form,
		  struct textbuf *tb, struct errmsg *err);

#endif
