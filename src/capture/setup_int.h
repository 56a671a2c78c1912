/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup_int.h - what the files behind setup.h share.
 */
#ifndef SONDE_CAPTURE_SETUP_INT_H
#define SONDE_CAPTURE_SETUP_INT_H

#include "base/errmsg.h"
#include "capture/setup.h"

/* setup_place.c: in which instance each buffer of the plan is; makes those that are ours. */
int setup_place(struct setup *s, struct errmsg *err);
/* True for the tracers that keep the worst case as text. */
bool setup_is_latency(const char *tracer);
/* setup_functions.c */
int setup_functions(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* Commands, triggers with a count: the count from the beginning; then writes 1 to switch_fd. */
int setup_rearm_functions(struct setup *s, const struct setup_buffer *b, int switch_fd,
			  struct errmsg *err);
/* setup_events.c */
int setup_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
int setup_rearm_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* setup_probes.c: defines what the plan's events define. */
int setup_probes(struct setup *s, struct errmsg *err);
/* Without a journal, when something failed later: removes what setup_probes() defined. */
void setup_probes_undo(struct setup *s);
void setup_probes_free(struct setup *s);
/* Why an event's name is no function's either; NULL: not looked for. */
const char *setup_why_no_probe(const struct setup *s, const struct plan_event *e);
/* The group of another's recording: it would be in the way when that one ends. */
bool setup_is_foreign_group(const struct setup *s, const char *system);

/* Whether an instance has a file; with a sentence that says what for, if not. */
int setup_need_file(struct setup *s, const struct setup_buffer *b, const char *file,
		    const char *what, struct errmsg *err);

#endif
