/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timearg.h - parses a time in a trace. A user writes "12.345678" as in report, or a time relative
 * to the first event: "+1.5s", "+20ms", "+7us", "+100ns".
 */
#ifndef SONDE_DECODE_TIMEARG_H
#define SONDE_DECODE_TIMEARG_H

#include <stdbool.h>
#include <stdint.h>

struct errmsg;

/*
 * Parses a time in nanoseconds. If in_time is false, the clock does not count time, and the unit is
 * that of the clock. The message names option.
 */
int timearg_parse(const char *option, const char *text, bool in_time, uint64_t first, uint64_t *ret,
		  struct errmsg *err);

#endif
