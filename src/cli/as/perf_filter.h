/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_filter.h - perf's filters of names: globs with !, &, | and parentheses.
 */
#ifndef SONDE_CLI_AS_PERF_FILTER_H
#define SONDE_CLI_AS_PERF_FILTER_H

#include <stdbool.h>

/* Returns NULL if the filter is well formed, else the position of the error. */
const char *perf_filter_check(const char *filter);
bool perf_filter_matches(const char *filter, const char *name);

#endif
