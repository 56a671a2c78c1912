/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * setup_int.h - what the files behind setup.h share.
 */
#ifndef SONDE_CAPTURE_SETUP_SETUP_INT_H
#define SONDE_CAPTURE_SETUP_SETUP_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/probes.h"
#include "capture/setup/setup.h"
#include "probe/definition/definition.h"

/* An event of the plan that is a definition. */
struct setup_probe {
	const struct plan_event *planned;
	struct plan_event event; /* enabled in its place; the triggers are the plan's */
	struct definition *definition;
	struct probe *probe; /* NULL: an event with a filter */
	char group[TRACEFS_NAME_MAX], name[TRACEFS_NAME_MAX];
	char *filter; /* the plan's (-f), in the kernel's form; NULL: none, or not a probe */
	int why_code; /* the code of why */
	/* a name that is neither an event nor a function: the error about the function */
	char *why;
	uint64_t n_hits;
	bool is_new, is_warned, is_off;
	bool is_quick;		 /* on an instruction that costs less, see cost.h */
	struct setup_pair *pair; /* NULL: one probe is enough */
};

/* Notes the current contents of the file, if changes are noted. */
int setup_save(struct setup *s, const char *instance, const char *file, struct errmsg *err);

/* place.c: finds the instance of each buffer of the plan; creates our own. */
int setup_place(struct setup *s, struct errmsg *err);
/* Drops a tracer that the user did not name, with a note. */
void setup_drop_wish(struct setup *s, const struct plan_buffer *of, const char *why);
/* Without a journal, after a later failure. */
void setup_leave(struct setup *s);
/* True for tracers that keep the worst case as a text. */
bool setup_is_latency(const char *tracer);
/* tasks.c: the other threads of a process. */
int setup_each_thread(const char *pid, int (*visit)(void *ctx, const char *thread), void *ctx);
/* Lets the kernel note the process of each task; call it before the plan's own options. */
int setup_tgids(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/*
 * Adds a note if a task of -P runs a file that was replaced since, so that the probe does not see
 * it.
 */
void setup_note_replaced(struct setup *s, const struct probe *p);
/* functions.c */
int setup_functions(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* Commands and triggers with a count: resets the count; then writes 1 to switch_fd. */
int setup_rearm_functions(struct setup *s, const struct setup_buffer *b, int switch_fd,
			  struct errmsg *err);
/* frames.c: the probe as it is defined (plan->only_calls), perhaps in f; release it. */
struct setup_framed {
	struct probe probe;
	char frame[40], skip[40];
};
struct probe *setup_add_frame(const struct setup *s, struct probe *p, struct setup_framed *f);
void setup_framed_release(struct setup_framed *f);

/* pairs.c: is the program for this processor, not for its 32-bit variant? */
bool setup_is_like_kernel(const struct probe *p);
/*
 * The stack pointer after the return, at the entry: a register and an offset, the same at all
 * places.
 */
bool setup_find_frame(const struct setup *s, const struct probe *in, const char **ret_reg,
		      int64_t *ret_offset);

/*
 * markers.c: copies the top level's markers into the first instance; call it before the plan's own
 * options.
 */
int setup_markers(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* From setup_start() to setup_stop(), while tracing_on is 1. */
int setup_copy_markers(struct setup *s, bool is_on, struct errmsg *err);
/* If they cannot be copied: starts to count them, just before tracing begins. */
void setup_watch_markers(struct setup *s);
/* Records in the top level's buffer; all: also those that were overwritten or read. */
long long setup_count_top(const struct tracefs *t, bool all);

/* names.c: call it after the events of the plan, for its first buffer */
int setup_names(struct setup *s, const struct setup_buffer *b, struct errmsg *err);

/* events.c */
bool setup_was_asked_for(const struct setup *s, const char *system, const char *event);
int setup_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
int setup_rearm_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* filter.c: which events accepted a filter that was written to many. */
struct setup_filter {
	size_t n_taken, n_left;
	char names[1024]; /* of the first events that did not */
};
/* Counts the events of one system. */
void setup_filter_look(struct setup *s, const char *instance, const char *system,
		       struct setup_filter *f);
/* Counts one that did not accept it. */
void setup_filter_leave(struct setup_filter *f, const char *event);
bool setup_filter_lacks_field(struct setup *s, const char *system, const char *event,
			      const char *filter);
/*
 * Reports the events that did not accept it: a note, or an error if none did. system: one of them,
 * or "".
 */
int setup_filter_tell(struct setup *s, const char *instance, const char *pattern,
		      const char *system, const char *filter, const struct setup_filter *f,
		      struct errmsg *err);
/* Explains a filter that one event refused, with its reason. */
int setup_filter_explain(const struct setup *s, const char *system, const char *event,
			 const char *filter, const struct errmsg *why, struct errmsg *err);
/* probes.c: defines the probes of the plan's events. */
int setup_probes(struct setup *s, struct errmsg *err);
/* Without a journal, after a later failure: removes what setup_probes() defined. */
void setup_probes_undo(struct setup *s);
void setup_probes_free(struct setup *s);
/*
 * Why an event's name is not a function either, and its code (-ENOENT: no such function); NULL: not
 * checked.
 */
const char *setup_why_no_probe(const struct setup *s, const struct plan_event *e, int *ret_code);
/* Writes the plan's filter on the probe's fields for the kernel, like a condition (if). */
int setup_take_filter(struct setup_probe *sp, const struct probe *shown, const char *duration,
		      struct errmsg *err);
/* Sets the pattern and filter to enable; those of the plan are added. */
int setup_set_event(struct setup_probe *sp, const char *system, const char *name,
		    const char *filter, struct errmsg *err);

/* probes.c: does the pattern match an existing event? */
bool setup_is_event(const struct setup *s, const char *pattern);
/* patterns.c: replaces a pattern of a program's functions or markers in the plan by its matches. */
int setup_patterns(struct setup *s, struct errmsg *err);
/* Opens what resolves definitions, once. */
int setup_open_prober(struct setup *s, struct errmsg *err);

/* pairs.c: does it record, at the return, what only the entry knows, or the duration? */
bool setup_wants_pair(const struct setup *s, const struct setup_probe *sp);
/* Defines both ends and what joins them; why_not: the error of a single probe, NULL: none. */
int setup_pair(struct setup *s, struct setup_probe *sp, const struct errmsg *why_not,
	       struct errmsg *err);
/* Sets the triggers that join them in a buffer, if this event of the plan is a pair. */
int setup_pair_arm(struct setup *s, const struct setup_buffer *b, const struct plan_event *e,
		   struct errmsg *err);
void setup_pair_disarm(struct setup *s, struct setup_probe *sp);
void setup_pair_release(struct setup_probe *sp);
/* Its entry; NULL: it is a single probe. */
const struct probe *setup_pair_entry(const struct setup_probe *sp);
bool setup_pair_fmt_format(const struct setup *s, const char *event, const char *text, size_t len,
			   struct textbuf *out);

/* The group of another recording: using it would block that one at its end. */
bool setup_is_foreign_group(const struct setup *s, const char *system);

/* Checks whether an instance has a file; if not, err says for what it is needed. */
int setup_need_file(struct setup *s, const struct setup_buffer *b, const char *file,
		    const char *what, struct errmsg *err);

#endif
