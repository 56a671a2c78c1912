/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - what the files of `sonde as perf` share.
 */
#ifndef SONDE_CLI_AS_PERF_H
#define SONDE_CLI_AS_PERF_H

#include "base/errmsg.h"

#define PERF_FAILED  255 /* perf's -1, as a shell sees it */
#define PERF_INVALID 234 /* -EINVAL */

/* argv[0] is "ftrace". The exit status; a sentence in err is still to be printed. */
int perf_ftrace(int argc, char **argv, struct errmsg *err);
/* argv[0] is "probe". The same; it prints its own errors. */
int perf_probe(int argc, char **argv, struct errmsg *err);
/* The text of the tracer while it comes (trace). opts: as parsed. */
struct perf_ftrace_options;
int perf_ftrace_trace(struct perf_ftrace_options *o, char **argv, struct errmsg *err);

#endif
