/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timearg.h - a time in a trace as a user writes it: "12.345678" as in report, or relative to the
 * first event "+1.5s", "+20ms", "+7us", "+100ns".
 */
#ifndef SONDE_DECODE_TIMEARG_H
#define SONDE_DECODE_TIMEARG_H

#include <stdbool.h>
#include <stdint.h>

struct errmsg;

/*
 * In nanoseconds; in_time false: in the units of a clock that does not count time. The message
 * names option.
 */
int timearg_parse(const char *option, const char *text, bool in_time, uint64_t first, uint64_t *ret,
		  struct errmsg *err);

#endif
