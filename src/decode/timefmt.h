/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timefmt.h - how to print a timestamp.
 */
#ifndef SONDE_DECODE_TIMEFMT_H
#define SONDE_DECODE_TIMEFMT_H

#include "base/number.h"

enum time_style {
	TIME_MICROSECONDS, /* "   22.188315": rounded */
	TIME_NANOSECONDS,  /* "   22.188315120" */
	TIME_UNITS,	   /* "252455259205": the clock does not count time */
};

#define TIME_MAX_BYTES 32

/*
 * Writes a time right-aligned in 5 digits before the point, or in 12 without one, like
 * printf("%5llu").
 */
static inline char *time_emit(char *p, uint64_t ts, enum time_style style)
{
	uint64_t rest;
	unsigned width;

	if (style == TIME_UNITS) {
		for (width = number_dec_width(ts); width < 12; width++)
			*p++ = ' ';
		return number_emit_dec(p, ts);
	}
	if (style == TIME_MICROSECONDS)
		ts = (ts + 500) / 1000;
	rest = style == TIME_MICROSECONDS ? ts / 1000000 : ts / 1000000000;
	for (width = number_dec_width(rest); width < 5; width++)
		*p++ = ' ';
	p = number_emit_dec(p, rest);
	*p++ = '.';
	if (style == TIME_MICROSECONDS)
		return number_emit_dec6(p, ts - rest * 1000000);
	ts -= rest * 1000000000;
	*p++ = '0' + ts / 100000000;
	memcpy(p, number_pairs + ts / 1000000 % 100 * 2, 2);
	return number_emit_dec6(p + 2, ts % 1000000);
}

#endif
