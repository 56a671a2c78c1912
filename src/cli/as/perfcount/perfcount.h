/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfcount.h - perf stat, perf list and perf top of `sonde as perf`. */
#ifndef SONDE_CLI_AS_PERFCOUNT_PERFCOUNT_H
#define SONDE_CLI_AS_PERFCOUNT_PERFCOUNT_H

#include "base/errmsg.h"

/* argv[0] is "stat", "list", "top". Return the exit status; the caller prints a message in err. */
int perf_stat(int argc, char **argv, struct errmsg *err);
int perf_list(int argc, char **argv, struct errmsg *err);
int perf_top(int argc, char **argv, struct errmsg *err);

#endif
