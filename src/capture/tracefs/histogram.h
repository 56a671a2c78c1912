/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - histograms that the kernel computes: hist triggers of events, in a session.
 *
 *	session_open        with plan->only_triggers: events exist, nothing is recorded
 *	    histogram_find      the events that match an event of the plan
 *	    histogram_set       a trigger on one of them; the journal removes it
 *	session_start, session_wait
 *	    histogram_read      the table so far
 *	session_close
 *
 * The caller decides what a trigger looks like and what its table means.
 */
#ifndef SONDE_CAPTURE_TRACEFS_HISTOGRAM_H
#define SONDE_CAPTURE_TRACEFS_HISTOGRAM_H

#include "base/textbuf.h"
#include "capture/tracefs/eventdir.h"
#include "capture/record/session.h"

#define HISTOGRAM_EVENTS_MAX 64

/*
 * Returns true if the kernel supports histograms; with synthetic events: histograms over two
 * events.
 */
bool histogram_is_there(const struct tracefs *t);
bool histogram_has_synthetic(const struct tracefs *t);

/*
 * Finds up to max events that match. Returns their number, or -E2BIG without a message if there are
 * more.
 */
int histogram_find(const struct session *s, const struct plan_event *planned,
		   struct event_name *list, size_t max, struct errmsg *err);

/*
 * Finds the events to which the plan's filter applies, as the kernel does: if a pattern matches
 * many events, those that have the filter's fields. Adds a note about the other events; fails if no
 * event has the fields.
 */
int histogram_share_filter(struct session *s, const struct plan_event *planned,
			   const struct event_name *list, size_t n, bool *ret_is_for,
			   struct errmsg *err);

/* Excludes sonde's own activity. Call it before setting the first trigger. */
int histogram_leave_out_self(struct session *s, struct errmsg *err);
int histogram_set(struct session *s, const struct event_name *event, const char *trigger,
		  struct errmsg *err);
/* Defines an event "NAME FIELDS" ("u64 lat; int cpu"), which the journal removes at the end. */
int histogram_add_synthetic(struct session *s, const char *name, const char *fields,
			    struct errmsg *err);

/* Replaces the text in *out by the hist file of an event. */
int histogram_read(const struct session *s, const struct event_name *event, struct textbuf *out,
		   struct errmsg *err);
/* Replaces the text in *out by the format file of an event. */
int histogram_read_format(const struct session *s, const struct event_name *event,
			  struct textbuf *out, struct errmsg *err);

#endif
