/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.h - declarations that the files of `sonde as perf` share. */
#ifndef SONDE_CLI_AS_PERF_H
#define SONDE_CLI_AS_PERF_H

#include "base/errmsg.h"

#define PERF_FAILED  255 /* perf's -1, as a shell sees it */
#define PERF_INVALID 234 /* -EINVAL */

/*
 * Runs `perf ftrace`; argv[0] is "ftrace". Returns the exit status. If err has a message, the
 * caller prints it.
 */
int perf_ftrace(int argc, char **argv, struct errmsg *err);
/* Runs `perf probe`; argv[0] is "probe". Returns the exit status, and prints its own errors. */
int perf_probe(int argc, char **argv, struct errmsg *err);
/* Run `perf script` …; argv[0] is the name. They return the exit status, as perf_ftrace() does. */
int perf_annotate(int argc, char **argv, struct errmsg *err);
int perf_diff(int argc, char **argv, struct errmsg *err);
int perf_record(int argc, char **argv, struct errmsg *err);
int perf_report(int argc, char **argv, struct errmsg *err);
int perf_script(int argc, char **argv, struct errmsg *err);
int perf_trace(int argc, char **argv, struct errmsg *err);
/* Runs `perf sched`; argv[0] is "sched". */
int perf_sched(int argc, char **argv, struct errmsg *err);
/* Runs another command of perf for one of them; argv[0] is replaced by its name. */
int perf_call(const char *name, int argc, char **argv, struct errmsg *err);
/* Prints the text of the tracer while it arrives (trace), with the parsed options. */
struct perf_ftrace_options;
int perf_ftrace_trace(struct perf_ftrace_options *o, char **argv, struct errmsg *err);

#endif
