/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h - reads the records of a uftrace.data directory in the order of time, and keeps the open
 * calls of each task, as uftrace does.
 *
 *	uft_walk_new ─▶ uft_walk_next … (peek, take) ─▶ uft_walk_free
 *	                  │
 *	                  ├ uft_walk_allows   options about events
 *	                  └ uft_walk_enter, _leave, or _check and _checked: filters and triggers
 *
 * uftrace applies filters while it prints: what it shows depends on what the reader has consumed so
 * far, and on the order in which a command asks. analyse/calls follows all calls, and then filters
 * them by a rule. So its text is nearly that of uftrace, but not in every case. This walk has
 * uftrace's rules; only `sonde as uftrace` uses it.
 *
 * Memory: the frames of each task, and the records that wait for the time filter. One thread.
 */
#ifndef SONDE_ANALYSE_UFTRACE_WALK_H
#define SONDE_ANALYSE_UFTRACE_WALK_H

#include "analyse/uftrace/perfdata.h"
#include "analyse/uftrace/trigger.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

enum uft_frame_flags {
	UFT_FRAME_FILTERED = 1, /* counts as inside of -F */
	UFT_FRAME_NOTRACE = 2,	/* counts as inside of -N */
	UFT_FRAME_HIDDEN = 4,	/* is not shown */
	UFT_FRAME_EXEC = 8,	/* does not return */
	UFT_FRAME_LONGJMP = 16,
};

/* A call. While it is open total_ns is when it began, afterwards how long it took. */
struct uft_frame {
	uint64_t addr, total_ns, child_ns;
	int orig_depth; /* what -D left when it began */
	unsigned flags; /* enum uft_frame_flags */
	bool is_valid;
};

/* The recorded values of a call, or the data of an event. */
struct uft_values {
	const struct uft_arg *list; /* NULL: an event */
	const uint8_t *data;
	size_t n_bytes;
};

struct uft_item {
	struct uft_record rec;
	struct uft_values values;
};

struct uft_queue {
	struct uft_item *items;
	size_t head, n, cap;
};

enum uft_origin { UFT_FROM_TASK, UFT_FROM_PERF, UFT_FROM_EVENTS };

/* What a time or size trigger has changed, until its function returns. */
struct uft_limit {
	int depth;
	uint64_t time_ns;
	uint32_t size;
};

struct uft_walk;

struct uft_reader {
	struct uft_walk *walk;
	int tid;
	struct uft_task *task; /* NULL: task.txt does not have it */
	const uint8_t *data;
	size_t n_bytes, pos;
	bool is_done;
	struct uft_queue queue;	 /* records that the time filter has let pass, or may */
	struct uft_queue events; /* task switches, if there is a time filter */
	struct uft_limit *limits;
	size_t n_limits, cap_limits;

	/* the current record */
	struct uft_record rec;
	enum uft_origin origin;
	struct uft_values values;
	char comm[16];		    /* of UFT_EVENT_TASK_NAME */
	const struct uft_sym *func; /* the last function that was counted; for tally.c */

	struct uft_frame *frames; /* max_stack of them; NULL: not among --tid */
	int n_frames, n_user;	  /* n_user: those of functions, not task switches */
	int display_depth, fork_display_depth;
	bool display_depth_set, frames_set, fork_handled, lost_seen, preempt_seen;
	int filter_in, filter_out, filter_depth;
	uint64_t timestamp, timestamp_last; /* for the commands */
	uint64_t timestamp_next, timestamp_estimate;
	char event_colour;
	int column;  /* -1: none yet */
	void *aside; /* the command's */
};

struct uft_stream {
	int tid;
	const uint8_t *data; /* NULL: it has no records */
	size_t n_bytes;
};

struct uft_walk_config {
	const struct uft_names *names;
	const struct uft_stream *streams; /* in the order of the info file */
	size_t n_streams;
	struct uft_perf *perfs; /* one for each CPU; they are read */
	size_t n_perfs;
	const struct uft_triggers *triggers;
	uint32_t max_stack;
	bool swaps, estimates_return;
	int depth;
	uint64_t time_filter_ns;
	uint32_t size_filter;
	uint64_t range_start_ns, range_stop_ns;
	bool range_start_elapsed, range_stop_elapsed;
	const char *tids; /* "1,2;3"; NULL: all */
	bool disabled;
	bool no_libcall, event_full, no_event, keeps_events, no_sched, no_sched_preempt;
	bool kernel_only;
	/* Something about the data is wrong: a sentence. May be NULL. */
	void (*warn)(void *ctx, const char *sentence);
	void *warn_ctx;
};

struct uft_walk {
	struct uft_walk_config c;
	struct uft_reader *readers;
	size_t n_readers;
	bool enabled; /* trace_on, trace_off */
	bool events_sorted;
	uint64_t first_ns; /* the first record; 0: none yet */
	int setjmp_depth, setjmp_frames;
	struct uft_perf *perf; /* the CPU of the event that was read last */
	uint64_t last_perf_ns; /* its time */
};

/* config's pointers stay valid. 0 or -ENOMEM. */
int uft_walk_new(struct uft_walk **ret, const struct uft_walk_config *config);
void uft_walk_free(struct uft_walk *w);

/* The task whose record is next, without taking it; NULL: the end. */
struct uft_reader *uft_walk_peek(struct uft_walk *w);
/* Takes the record that was peeked at. */
void uft_walk_take(struct uft_walk *w, struct uft_reader *r);
struct uft_reader *uft_walk_next(struct uft_walk *w);

struct uft_reader *uft_walk_reader(const struct uft_walk *w, int tid);

/* Is it to be shown at all, by the options? */
bool uft_walk_allows(struct uft_walk *w, struct uft_reader *r);
/*
 * The current record is a call: filters and triggers apply. False: it is not shown. *ret: what
 * happens at this function, NULL if nothing.
 */
bool uft_walk_enter(struct uft_walk *w, struct uft_reader *r, const struct uft_record *rec,
		    const struct uft_trigger **ret);
void uft_walk_leave(struct uft_reader *r);
/* The indentation after a call began or ended; returns it. */
int uft_walk_update(struct uft_walk *w, struct uft_reader *r, enum uft_type type,
		    struct uft_frame *f);
/* Enter, leave or check for commands that do not indent; call _checked() when it was true. */
bool uft_walk_check(struct uft_walk *w, struct uft_reader *r);
void uft_walk_checked(struct uft_walk *w, struct uft_reader *r);
/*
 * After a call began: skips records that are not shown up to the one that is. Returns its task;
 * NULL: none, or nothing may be merged.
 */
struct uft_reader *uft_walk_skip(struct uft_walk *w, struct uft_reader *r, int depth);

/* NULL: there is no such frame. */
static inline struct uft_frame *uft_frame_at(struct uft_reader *r, int i)
{
	return !r->frames || i < 0 || (uint32_t)i >= r->walk->c.max_stack ? NULL : &r->frames[i];
}

/* The symbol at an address that is called at that time; NULL: unknown. */
const struct uft_sym *uft_walk_sym(struct uft_walk *w, struct uft_reader *r, uint64_t time_ns,
				   uint64_t addr);
/* The same of the current record; task switches have symbols, too. */
const struct uft_sym *uft_walk_rec_sym(struct uft_walk *w, struct uft_reader *r,
				       const struct uft_record *rec);

/*
 * Returns the time at which the open calls of a task end: that of its last record. If that is a
 * task switch, uftrace uses the last record of all tasks; so do we, to show the same numbers.
 */
static inline uint64_t uft_walk_last(const struct uft_walk *w, const struct uft_reader *r)
{
	if (w->c.range_stop_ns)
		return w->c.range_stop_ns;
	return r->origin == UFT_FROM_PERF ? w->last_perf_ns : r->rec.time_ns;
}

static inline bool uft_is_sched(uint64_t addr)
{
	return addr == UFT_EVENT_SCHED_IN || addr == UFT_EVENT_SCHED_OUT ||
	       addr == UFT_EVENT_SCHED_OUT_PREEMPT || addr == UFT_EVENT_SCHED_BOTH ||
	       addr == UFT_EVENT_SCHED_BOTH_PREEMPT;
}

#endif
