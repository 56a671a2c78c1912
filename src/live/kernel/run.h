/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a session in which the kernel counts and sonde only reads the table: what count and latency
 * have in common there.
 *
 *	kernelrun_open       the events are there, nothing is recorded
 *	    (the caller sets triggers: histogram.h)
 *	kernelrun_follow     from the start of the command to the end; on a terminal the table again and again
 *	kernelrun_close      everything as it was
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

/* Of a hist trigger: how many keys, and how long they are together. */
#define KERNELRUN_KEYS_MAX	 3
#define KERNELRUN_KEY_BYTES_MAX	 384
#define KERNELRUN_TEXT_BYTES_MAX 256 /* of one text, and of every one whose length varies */

/* One event, as the words see it. */
struct kernel_event {
	struct event_name name;
	char shown[TRACEFS_NAME_MAX]; /* the event's name as a record has it: without our number */
	struct key_slot slots[KEYS_MAX]; /* of the words */
	const char *filter;		 /* with the choice of CPUs; NULL: none */
	const char *asked; /* … before our own tasks were left out; NULL: they were not */
	const struct event *format;
};

struct kernelrun {
	struct session s;
	struct live_request *request;
	sigset_t mask; /* as it was before */
	struct arena arena;
	struct formats *formats; /* of all events; the kernel's symbols, once one is shown */
	struct kernel_event events[HISTOGRAM_EVENTS_MAX];
	size_t n_events;
	const char *
		cpus; /* the choice of CPUs (-M) as a filter, part of those of all events; NULL: all */
	/* Of BPF programs, if there are any: open from when the command is let go until it has ended. */
	struct bpf_table gate;
	/* Set before it is opened, if wanted: session_config has it. */
	int (*prepare)(struct session *s, void *ctx, struct errmsg *err);
	/* After the last event, before the result is made and everything is put back; may be NULL. */
	void (*stop)(void *ctx);
	bool is_open;	    /* to be closed */
	bool has_hist;	    /* the kernel has hist triggers */
	bool may_lack;	    /* set by the caller: an event need not have all words */
	bool has_comm;	    /* the events have the name of the task as a field: comm */
	bool cpu_is_common; /* the key is called common_cpu, not cpu */
	struct pace *pace;
	uint64_t next_ns;
	uint64_t watched_ns; /* when hits of probes were counted last */
	int (*read)(void *ctx, struct errmsg *err);
	int (*show)(void *ctx, bool is_last, struct errmsg *err);
	void *ctx;
	struct errmsg *err;
};

/* Before it is opened: has all events, if they are probes, read the name of the task. False if they cannot. */
bool kernelrun_read_comm(struct kernelrun *run, struct plan *plan);

/* 1, or 0 if this kernel counts nothing: without hist triggers, and prepare is not set. Close it on failure, too; not after a 0. */
int kernelrun_open(struct kernelrun *run, struct live_request *request, char **argv,
		   struct errmsg *err);

/* Our own tasks are to be left out: nobody asked for them (--self), and no tasks were chosen. */
bool kernelrun_leaves_own(const struct kernelrun *run);
/* Only hits count whose field, a task's number, is not ours. */
int kernelrun_leave_out_own(struct kernelrun *run, struct kernel_event *e, const char *field,
			    struct errmsg *err);
/* Both must be true; filter may be NULL. NULL without memory. */
const char *kernelrun_join(struct kernelrun *run, const char *filter, const char *more);

/*
 * Adds the events that an event of the plan means, bound to the words. How many; 0 without a sentence if one
 * of them has a word that the kernel could not show as we do.
 */
int kernelrun_add_events(struct kernelrun *run, const struct plan_event *planned,
			 const char (*words)[KEY_WORD_MAX], size_t n_words, struct errmsg *err);

/* "prev_comm,common_cpu": the keys of an event; false if they cannot be had. */
bool kernelrun_fmt_keys(const struct kernelrun *run, const struct kernel_event *e, size_t n_words,
			char *buf, size_t n_bytes);
/* The value of a key that the kernel printed. */
uint64_t kernelrun_value(struct keyreader *kr, const struct key_slot *slot, const char *text);

/* The table of an event, in the arena. */
int kernelrun_read(struct kernelrun *run, const struct event_name *event, struct arena *arena,
		   struct kernelhist **ret_hist, struct errmsg *err);

/*
 * read: takes the tables as they are. show: shows what was read last, is_last when everything is as it was again;
 * -EPIPE without a sentence: nobody looks at it any more.
 */
int kernelrun_follow(struct kernelrun *run, struct pace *pace,
		     int (*read)(void *ctx, struct errmsg *err),
		     int (*show)(void *ctx, bool is_last, struct errmsg *err), void *ctx,
		     struct errmsg *err);
int kernelrun_close(struct kernelrun *run, struct errmsg *err);

#endif
