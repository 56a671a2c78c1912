/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* moment.h - parses a time that a user wrote, as a time of the timeline. */
#ifndef SONDE_TIMELINE_MOMENT_H
#define SONDE_TIMELINE_MOMENT_H

#include "timeline/timeline.h"

/*
 * Parses "52.129869", as report shows it, or "+1.5s" after the first event (decode/timearg.h).
 * *ret counts from the trace's start; earlier times are 0. The message names `option`.
 */
int moment_parse(const struct timeline *tl, const char *option, const char *text, uint64_t *ret,
		 struct errmsg *err);

#endif
