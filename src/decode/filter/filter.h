/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filter.h - report -F: compiles "EVENTS:EXPRESSION" once, and matches it against records.
 *
 *	sched:next_pid == 0 && prev_comm =~ "ba.*"       system or event names are regular
 *	                                                 expressions
 *
 * A filter belongs to one file's formats. Matching compiles the expression for an event when it
 * first sees it, so a filter belongs to the thread that walks the trace.
 */
#ifndef SONDE_DECODE_FILTER_FILTER_H
#define SONDE_DECODE_FILTER_FILTER_H

#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/record.h"

struct errmsg;
struct filter;
struct textbuf;

enum filter_result {
	FILTER_NOT_FOUND, /* the filter does not name this event */
	FILTER_MISS,
	FILTER_MATCH,
};

/*
 * Compiles a filter. Returns -EINVAL with a message that shows the position in the text, or -ENOENT
 * if no event has that name.
 */
int filter_new(struct filter **ret, struct formats *f, const char *text, struct errmsg *err);
void filter_free(struct filter *flt);
SCOPED_POINTER(struct filter, filter_free)

/*
 * Returns -ENOENT with a message if the filter names a field that none of its events has. A test of
 * such a field is false.
 */
int filter_check_fields(struct filter *flt, struct errmsg *err);

enum filter_result filter_match(struct filter *flt, const struct record *rec);

/* Shows the parsed filter (report -T), one line for each event, as trace-cmd prints it. */
void filter_fmt(struct filter *flt, struct textbuf *tb);

#endif
