/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * histogram.h - histograms that the kernel makes by itself: hist triggers of events, in a session.
 *
 *	session_open        with plan->only_triggers: events are there, nothing is recorded
 *	    histogram_find      the events that an event of the plan means
 *	    histogram_set       a trigger on one of them; the journal removes it
 *	session_start, session_wait
 *	    histogram_read      the table so far
 *	session_close
 *
 * What a trigger looks like, and what its table means, is the caller's.
 */
#ifndef SONDE_CAPTURE_TRACEFS_HISTOGRAM_H
#define SONDE_CAPTURE_TRACEFS_HISTOGRAM_H

#include "capture/tracefs/eventdir.h"
#include "capture/record/session.h"

#define HISTOGRAM_EVENTS_MAX 64

/* Has the kernel histograms, and with synthetic events between two events? */
bool histogram_is_there(const struct tracefs *t);
bool histogram_has_synthetic(const struct tracefs *t);

/* How many there are, up to max in list; -E2BIG without a sentence if there are more. */
int histogram_find(const struct session *s, const struct plan_event *planned,
		   struct event_name *list, size_t max, struct errmsg *err);

/*
 * Which of these events the plan's filter is for, as the kernel has it: with a pattern for many, those that have its fields.
 * A note tells of the others, an error if it is for none.
 */
int histogram_share_filter(struct session *s, const struct plan_event *planned,
			   const struct event_name *list, size_t n, bool *ret_is_for,
			   struct errmsg *err);

/* Before the first trigger: what we do ourselves is left out. */
int histogram_leave_out_self(struct session *s, struct errmsg *err);
int histogram_set(struct session *s, const struct event_name *event, const char *trigger,
		  struct errmsg *err);
/* Defines an event "NAME FIELDS", removed in the end: "u64 lat; int cpu". */
int histogram_add_synthetic(struct session *s, const char *name, const char *fields,
			    struct errmsg *err);

/* The hist file of an event, in *out after its old text is dropped. */
int histogram_read(const struct session *s, const struct event_name *event, struct textbuf *out,
		   struct errmsg *err);
/* Its format. */
int histogram_read_format(const struct session *s, const struct event_name *event,
			  struct textbuf *out, struct errmsg *err);

#endif
