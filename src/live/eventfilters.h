/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventfilters.h - the filters of count, latency and functions that the program checks.
 *
 *	-F EVENT:EXPRESSION    the program checks it for every event that it names
 *	-f EXPRESSION          the kernel checks it for the preceding event; for a file, the program
 *	                       does
 *	… if CONDITION         the program checks the condition of a call (latencyplan.h)
 */
#ifndef SONDE_LIVE_EVENTFILTERS_H
#define SONDE_LIVE_EVENTFILTERS_H

#include "capture/plan.h"

struct errmsg;
struct filter;
struct formats;

/* A zeroed struct is empty. */
struct eventfilters {
	struct filter **list;
	size_t n;
};

/* The filters to compile. The caller owns everything. */
struct eventfilters_spec {
	const struct plan_words *words;	    /* EVENT:EXPRESSION */
	const char *condition, *event;	    /* an expression for one event; NULL: none */
	const struct plan_buffer *plan;	    /* plan whose events have filters, too; NULL: none */
	void (*tell)(const char *sentence); /* reports which filter is ignored, and why */
};

/* Compiles the filters. Release fs after a failure, too. */
int eventfilters_init(struct eventfilters *fs, const struct eventfilters_spec *spec,
		      struct formats *f, struct errmsg *err);
void eventfilters_release(struct eventfilters *fs);

/* Makes "EVENT:EXPRESSION", which the caller frees. Returns NULL if out of memory. */
char *eventfilters_fmt(const char *event, const char *filter);
/* Returns true if two words of -e name the same event. A definition is always a separate event. */
bool eventfilters_is_same_event(const char *a, const char *b);
/*
 * Joins the filters of each event, because the kernel has one filter per event. The joined filter
 * is true if one of the filters is. An event that is also named without a filter gets none.
 */
int eventfilters_join(struct plan_buffer *b, struct errmsg *err);

#endif
