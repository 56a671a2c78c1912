/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_filter.h - perf's filters of names: globs with !, &, | and parentheses.
 */
#ifndef SONDE_CLI_AS_PERF_FILTER_H
#define SONDE_CLI_AS_PERF_FILTER_H

#include <stdbool.h>

/* NULL if it is well formed, else where it is not. */
const char *perf_filter_check(const char *filter);
bool perf_filter_matches(const char *filter, const char *name);

#endif
