// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * moment.c - parses a time that a user wrote.
 *
 * `sonde report` prints the clock boot as a bare number of units, so such a number is one here, too.
 * But a difference ("+20ms") can have a unit on every clock that counts nanoseconds.
 */
#include "timeline/moment.h"

#include "base/errmsg.h"
#include "decode/timearg.h"

int moment_parse(const struct timeline *tl, const char *option, const char *text, uint64_t *ret,
		 struct errmsg *err)
{
	bool in_time = timeline_source(tl, 0)->time.in_time ||
		       (timeline_unit(tl).ns == 1 && text[0] == '+');
	uint64_t origin = timeline_origin(tl), t;

	if (timearg_parse(option, text, in_time, origin, &t, err) < 0)
		return errmsg_code(err);
	*ret = t > origin ? t - origin : 0;
	return 0;
}
