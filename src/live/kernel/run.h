/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - runs a session in which the kernel counts and sonde only reads the table: the common part
 * of count and latency.
 *
 *	kernelrun_open       sets up the events, without recording them
 *	    (the caller sets triggers: histogram.h)
 *	kernelrun_follow     runs from the start of the command to the end, and updates the table on
 *	                     a terminal
 *	kernelrun_close      restores all settings
 */
#ifndef SONDE_LIVE_KERNEL_RUN_H
#define SONDE_LIVE_KERNEL_RUN_H

#include "analyse/keys.h"
#include "base/arena.h"
#include "capture/bpf/bpf.h"
#include "capture/tracefs/histogram.h"
#include "decode/kernelhist.h"
#include "live/pace.h"
#include "live/request.h"

#include <signal.h>

/* Limits of a hist trigger: the number of keys, and their total length. */
#define KERNELRUN_KEYS_MAX	 3
#define KERNELRUN_KEY_BYTES_MAX	 384
#define KERNELRUN_TEXT_BYTES_MAX 256 /* size of a text of variable length, and limit of any text */

/* One event, with the words of --by. */
struct kernel_event {
	struct event_name name;
	char shown[TRACEFS_NAME_MAX];	 /* the event's name as in a record, without our number */
	struct key_slot slots[KEYS_MAX]; /* slots of the words */
	const char *filter;		 /* filter, with the choice of CPUs; NULL: none */
	const char *asked; /* filter before our own tasks were excluded; NULL: they were not */
	const struct event *format;
};

struct kernelrun {
	struct session s;
	struct live_request *request;
	sigset_t mask; /* the previous signal mask */
	struct arena arena;
	/* formats of all events; the kernel's symbols are loaded when one is shown */
	struct formats *formats;
	struct kernel_event events[HISTOGRAM_EVENTS_MAX];
	size_t n_events;
	/* filter for the selected CPUs (-M), part of the filters of all events; NULL: all CPUs */
	const char *cpus;
	/* For BPF programs: the gate, which is open from the start of the command to its end. */
	struct bpf_table gate;
	/* Callback of the session, which may be set before opening; see session_config. */
	int (*prepare)(struct session *s, void *ctx, struct errmsg *err);
	/*
	 * Called after the last event, before the result is made and settings are restored; may be
	 * NULL.
	 */
	void (*stop)(void *ctx);
	bool is_open;	    /* the run must be closed */
	bool has_hist;	    /* the kernel has hist triggers */
	bool may_lack;	    /* set by the caller: an event need not have all words */
	bool has_comm;	    /* the events have the name of the task as a field, comm */
	bool cpu_is_common; /* the key is named common_cpu, not cpu */
	struct pace *pace;
	uint64_t next_ns;
	uint64_t watched_ns; /* time when hits of probes were counted last */
	int (*read)(void *ctx, struct errmsg *err);
	int (*show)(void *ctx, bool is_last, struct errmsg *err);
	void *ctx;
	struct errmsg *err;
};

/*
 * Makes all probes record the name of the task. Call it before opening. Returns false if that is
 * impossible.
 */
bool kernelrun_read_comm(struct kernelrun *run, struct plan *plan);

/*
 * Opens a run. Returns 1, or 0 if this kernel cannot count: it has no hist triggers, and prepare is
 * not set. Close run even after a failure, but not after a 0.
 */
int kernelrun_open(struct kernelrun *run, struct live_request *request, char **argv,
		   struct errmsg *err);

/* Returns true if our own tasks must be excluded: without --self and without selected tasks. */
bool kernelrun_leaves_own(const struct kernelrun *run);
/* Counts only hits whose field, a pid, is not one of our tasks. */
int kernelrun_leave_out_own(struct kernelrun *run, struct kernel_event *e, const char *field,
			    struct errmsg *err);
/* Joins two filters, which must both be true; filter may be NULL. Returns NULL if out of memory. */
const char *kernelrun_join(struct kernelrun *run, const char *filter, const char *more);

/*
 * Adds the events that an event of the plan names, bound to the words. Returns their number, or 0
 * without a message if the kernel cannot show a word as sonde does.
 */
int kernelrun_add_events(struct kernelrun *run, const struct plan_event *planned,
			 const char (*words)[KEY_WORD_MAX], size_t n_words, struct errmsg *err);

/* Writes the keys of an event, "prev_comm,common_cpu". Returns false if they are not available. */
bool kernelrun_fmt_keys(const struct kernelrun *run, const struct kernel_event *e, size_t n_words,
			char *buf, size_t n_bytes);
/* Returns the value of a key that the kernel printed. */
uint64_t kernelrun_value(struct keyreader *kr, const struct key_slot *slot, const char *text);

/* Reads the table of an event into the arena. */
int kernelrun_read(struct kernelrun *run, const struct event_name *event, struct arena *arena,
		   struct kernelhist **ret_hist, struct errmsg *err);

/*
 * Runs to the end. read reads the current tables. show shows the tables that were read last;
 * is_last: the settings are restored. show returns -EPIPE without a message if the reader has
 * closed the output.
 */
int kernelrun_follow(struct kernelrun *run, struct pace *pace,
		     int (*read)(void *ctx, struct errmsg *err),
		     int (*show)(void *ctx, bool is_last, struct errmsg *err), void *ctx,
		     struct errmsg *err);
int kernelrun_close(struct kernelrun *run, struct errmsg *err);

#endif
