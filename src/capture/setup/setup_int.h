/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup_int.h - internal interface of the files that implement setup.h. */
#ifndef SONDE_CAPTURE_SETUP_SETUP_INT_H
#define SONDE_CAPTURE_SETUP_SETUP_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/probes.h"
#include "capture/setup/setup.h"
#include "probe/definition/definition.h"

/* An event of the plan that is a definition. */
struct setup_probe {
	const struct plan_event *planned;
	/* the event that is enabled for the definition; it has the triggers of the plan */
	struct plan_event event;
	struct definition *definition;
	struct probe *probe; /* NULL: an event with a filter */
	char group[TRACEFS_NAME_MAX], name[TRACEFS_NAME_MAX];
	char *filter; /* filter of the plan (-f) in the kernel's form; NULL: none, or not a probe */
	int why_code; /* error code that belongs to why */
	/* error about the function, if the name is neither an event nor a function */
	char *why;
	uint64_t n_hits;
	bool is_new, is_warned, is_off;
	bool is_quick;		 /* the probe is on an instruction that costs less, see cost.h */
	struct setup_pair *pair; /* entry and return that are joined; NULL: one probe is enough */
};

/* Saves the current contents of the file in the journal, if there is one. */
int setup_save(struct setup *s, const char *instance, const char *file, struct errmsg *err);

/* place.c: finds the instance of each buffer of the plan, and creates our own instances. */
int setup_place(struct setup *s, struct errmsg *err);
/* Drops a tracer that sonde chose and the user did not name. Adds a note. */
void setup_drop_wish(struct setup *s, const struct plan_buffer *of, const char *why);
/* Without a journal: undoes setup_place() after a later failure. */
void setup_leave(struct setup *s);
/* Returns true for tracers that keep the worst case as a text. */
bool setup_is_latency(const char *tracer);
/* tasks.c: visits the other threads of a process. */
int setup_each_thread(const char *pid, int (*visit)(void *ctx, const char *thread), void *ctx);
/* Makes the kernel note the process of each task. Call it before setting the plan's own options. */
int setup_tgids(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/*
 * Adds a note if a task of -P runs a file that was replaced since it started: the probe does not
 * see that task.
 */
void setup_note_replaced(struct setup *s, const struct probe *p);
int setup_functions(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* Resets the counts of commands and triggers, then writes 1 to switch_fd. */
int setup_rearm_functions(struct setup *s, const struct setup_buffer *b, int switch_fd,
			  struct errmsg *err);
/*
 * frames.c: the probe as it is defined (plan->only_calls), perhaps stored in f. The caller releases
 * it.
 */
struct setup_framed {
	struct probe probe;
	char frame[40], skip[40];
};
struct probe *setup_add_frame(const struct setup *s, struct probe *p, struct setup_framed *f);
void setup_framed_release(struct setup_framed *f);

/* pairs.c: returns true if the program is for this processor, not for its 32-bit variant. */
bool setup_is_like_kernel(const struct probe *p);
/*
 * Finds how to compute, at the entry, the stack pointer after the return: a register and an offset
 * that are the same at all places.
 */
bool setup_find_frame(const struct setup *s, const struct probe *in, const char **ret_reg,
		      int64_t *ret_offset);

/*
 * markers.c: copies the markers of the top level into the first instance. Call it before setting
 * the plan's own options.
 */
int setup_markers(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/*
 * Switches the copying of markers on or off. Copying is on from setup_start() to setup_stop(),
 * while tracing_on is 1.
 */
int setup_copy_markers(struct setup *s, bool is_on, struct errmsg *err);
/* Starts to count markers that cannot be copied, just before tracing begins. */
void setup_watch_markers(struct setup *s);
/*
 * Returns the number of records in the top level's buffer. all: also count records that were
 * overwritten or read.
 */
long long setup_count_top(const struct tracefs *t, bool all);

/*
 * names.c: enables the events that name tasks. Call it for the first buffer, after enabling the
 * events of the plan.
 */
int setup_names(struct setup *s, const struct setup_buffer *b, struct errmsg *err);

/* events.c: returns true if the user asked for this event. */
bool setup_was_asked_for(const struct setup *s, const char *system, const char *event);
int setup_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
int setup_rearm_events(struct setup *s, const struct setup_buffer *b, struct errmsg *err);
/* filter.c: counts which of many events accepted a filter. */
struct setup_filter {
	size_t n_taken, n_left;
	char names[1024]; /* names of the first events that did not accept the filter */
};
/* Counts the events of one system that accepted the filter. */
void setup_filter_look(struct setup *s, const char *instance, const char *system,
		       struct setup_filter *f);
/* Counts one event that did not accept the filter. */
void setup_filter_leave(struct setup_filter *f, const char *event);
bool setup_filter_lacks_field(struct setup *s, const char *system, const char *event,
			      const char *filter);
/*
 * Reports the events that did not accept the filter: adds a note, or returns an error if no event
 * accepted it. system: one of the systems, or "".
 */
int setup_filter_tell(struct setup *s, const char *instance, const char *pattern,
		      const char *system, const char *filter, const struct setup_filter *f,
		      struct errmsg *err);
/* Explains why one event refused a filter. why: the reason. */
int setup_filter_explain(const struct setup *s, const char *system, const char *event,
			 const char *filter, const struct errmsg *why, struct errmsg *err);
/* probes.c: defines the probes of the plan's events. */
int setup_probes(struct setup *s, struct errmsg *err);
/* Without a journal: undoes setup_probes() after a later failure. */
void setup_probes_undo(struct setup *s);
void setup_probes_free(struct setup *s);
/*
 * Returns why the name of an event is not the name of a function either, and sets the error code
 * (-ENOENT: no such function). Returns NULL if sonde did not check.
 */
const char *setup_why_no_probe(const struct setup *s, const struct plan_event *e, int *ret_code);
/* Translates the plan's filter on the probe's fields for the kernel, like a condition (if). */
int setup_take_filter(struct setup_probe *sp, const struct probe *shown, const char *duration,
		      struct errmsg *err);
/*
 * Sets the pattern and filter of the event that is enabled for the definition, and adds those of
 * the plan.
 */
int setup_set_event(struct setup_probe *sp, const char *system, const char *name,
		    const char *filter, struct errmsg *err);

/* probes.c: returns true if the pattern matches an existing event. */
bool setup_is_event(const struct setup *s, const char *pattern);
/* patterns.c: replaces a pattern of program functions or markers in the plan by its matches. */
int setup_patterns(struct setup *s, struct errmsg *err);
/* Opens the prober, which resolves definitions. Later calls do nothing. */
int setup_open_prober(struct setup *s, struct errmsg *err);

/*
 * pairs.c: returns true if the probe records, at the return, the duration or a value that only the
 * entry knows.
 */
bool setup_wants_pair(const struct setup *s, const struct setup_probe *sp);
/*
 * Defines the probes at entry and return, and the event that joins them. why_not: the error of a
 * single probe; NULL: none.
 */
int setup_pair(struct setup *s, struct setup_probe *sp, const struct errmsg *why_not,
	       struct errmsg *err);
/* Sets the triggers that join entry and return in a buffer, if this event of the plan is a pair. */
int setup_pair_arm(struct setup *s, const struct setup_buffer *b, const struct plan_event *e,
		   struct errmsg *err);
void setup_pair_disarm(struct setup *s, struct setup_probe *sp);
void setup_pair_release(struct setup_probe *sp);
/* Returns the entry of a pair; NULL if the event is a single probe. */
const struct probe *setup_pair_entry(const struct setup_probe *sp);
bool setup_pair_fmt_format(const struct setup *s, const char *event, const char *text, size_t len,
			   struct textbuf *out);

/*
 * Returns true if the group belongs to another recording. Using such a group would keep the other
 * recording from removing it.
 */
bool setup_is_foreign_group(const struct setup *s, const char *system);

/* Checks that an instance has a file. If not, err names the feature that needs it. */
int setup_need_file(struct setup *s, const struct setup_buffer *b, const char *file,
		    const char *what, struct errmsg *err);

struct probe_list;
/* Returns the hits of all places of the probe since the start. */
uint64_t setup_count_hits(const struct probe_list *l, const struct setup_probe *sp);

#endif
