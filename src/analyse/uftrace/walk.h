/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * walk.h - goes through the records of a uftrace.data directory in the order of time, and says
 * which of them `sonde as uftrace` shows.
 *
 *	uft_walk_new ─▶ uft_walk_next … (peek, take) ─▶ uft_walk_free
 *	                  │
 *	                  ├ uft_walk_wants              do the options want this kind of record?
 *	                  ├ uft_decide … uft_settle     is it shown? then: it was dealt with
 *	                  └ uft_look_ahead              what is shown after a call
 *
 * Each task has a lane: its records, the stack of its open calls, and what they leave to show for
 * the calls inside of them. The rules are at the top of these files:
 *
 *	walk.c     the order of records
 *	stack.c    open calls and their times; losses, forks, returns without a call
 *	decide.c   what is shown, and how far to the right
 *	guess.c    returns whose time was not recorded
 *	sift.c     calls that are too short or too small
 *	records.c  the file of a task
 *	kernel.c   the files of the kernel
 *
 * analyse/calls follows all calls, and then filters them by one rule. Here what is shown depends on
 * what was shown before, and on the order in which a command asks. So only `sonde as uftrace` uses
 * it.
 *
 * Memory: the stack of each task, and the records that wait for the time filter. One thread.
 */
#ifndef SONDE_ANALYSE_UFTRACE_WALK_H
#define SONDE_ANALYSE_UFTRACE_WALK_H

#include "analyse/uftrace/perfdata.h"
#include "analyse/uftrace/trigger.h"
#include "format/uftrace.h"
#include "symbols/uftrace/session.h"

enum uft_verdict {
	UFT_SHOWN,
	UFT_HIDDEN, /* neither the call nor its return */
	UFT_SILENT, /* tracing was off when it began: its return is shown if it is on by then */
};

/* Calls that do not come back to their caller. */
enum uft_jump { UFT_NO_JUMP, UFT_TO_PROGRAM, UFT_TO_SETJMP };

/* A place on the stack of a task: an open call, or the last one that was there. */
struct uft_call {
	uint64_t addr;
	uint64_t began_ns, took_ns; /* see uft_call_ns() */
	uint64_t inner_ns;	    /* of that: in the calls that it made */
	bool has_begun;		    /* we saw it begin, and not end yet */
	bool has_ended;		    /* took_ns is known */
	enum uft_verdict verdict;
	enum uft_jump jump;
	bool is_selected, is_excluded; /* by -F, -N */
	int levels_outside;	       /* what its caller left of -D */
};

/* What the open calls of a task leave to show for the next one. */
struct uft_scope {
	int n_selected;	  /* calls that -F names are around it */
	bool is_excluded; /* one that -N names is around it */
	int levels;	  /* of calls inside of each other, by -D */
};

/* How far to the right the next line of a task is. */
struct uft_margin {
	int level;
	bool is_stale; /* it follows from the stack, at the next line that is shown */
};

/* A return whose time is a guess (guess.c). 0: none. */
struct uft_guess {
	uint64_t return_ns, next_call_ns;
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
	struct uft_lane *lane; /* of the kernel's records */
};

struct uft_queue {
	struct uft_item *items;
	size_t head, n, cap;
};

enum uft_source { UFT_OF_TASK, UFT_OF_KERNEL, UFT_OF_CPU, UFT_OF_SWITCHES };

/* What a call must reach to be shown at all (sift.c). */
struct uft_bar {
	int depth; /* of the function that set it */
	uint64_t min_ns;
	uint32_t min_size;
};

/* Does the stack match the records? */
enum uft_footing {
	UFT_NOT_BEGUN, /* the first record will tell */
	UFT_FIRM,
	UFT_ADRIFT, /* records are lost: the next one will tell */
};

struct uft_walk;

struct uft_lane {
	struct uft_walk *walk;
	int tid;
	struct uft_task *task; /* NULL: task.txt does not have it */

	/* what is to come */
	const uint8_t *data;
	size_t n_bytes, pos;
	bool is_done;
	struct uft_queue waiting;  /* records that the time filter has let pass, or may */
	struct uft_queue switches; /* if there is a time filter */
	struct uft_bar *bars;	   /* the last one counts */
	size_t n_bars, cap_bars;
	struct uft_guess guess;

	/* the current record */
	struct uft_record rec;
	enum uft_source source;
	struct uft_values values;
	char comm[16]; /* of UFT_EVENT_TASK_NAME */

	/* the stack: max_stack calls, of which n_open are open; NULL: not among --tid */
	struct uft_call *calls;
	int n_open, n_functions; /* n_functions: of the program */
	bool was_kernel;	 /* the last record that moved the stack was the kernel's */
	enum uft_footing footing;

	/* what is shown */
	struct uft_scope scope;
	struct uft_margin margin;
	int fork_level; /* where a child of its last fork() goes on; 0: there was none */
	bool is_preempted;
	bool is_out;		   /* it does not run */
	struct uft_perf *out_perf; /* … since an event of this CPU */
	uint64_t settled_ns;	   /* the last record that was; 0: none yet */
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
	bool kernel_only, kernel_full;
	struct uft_kernel *kernel; /* NULL: it was not recorded; it is read */
	/* Something about the data is wrong: a sentence. May be NULL. */
	void (*warn)(void *ctx, const char *sentence);
	void *warn_ctx;
};

struct uft_walk {
	struct uft_walk_config c;
	struct uft_lane *lanes;
	size_t n_lanes;
	bool is_on;	   /* trace_on, trace_off */
	bool has_switches; /* the lanes have theirs */
	uint64_t first_ns; /* the first record; 0: none yet */
	struct {
		int level, n_open;
	} setjmp;			  /* where the last setjmp() was */
	struct uft_perf *perf;		  /* the CPU of the event that was read last */
	uint64_t last_perf_ns;		  /* its time */
	struct uft_queue *kernel_waiting; /* by CPU */
	size_t kernel_cpu;		  /* of the kernel's record that was read last */
};

/* config's pointers stay valid. 0 or -ENOMEM. */
int uft_walk_new(struct uft_walk **ret, const struct uft_walk_config *config);
void uft_walk_free(struct uft_walk *w);

/* The lane whose record is next, without taking it; NULL: the end. */
struct uft_lane *uft_walk_peek(struct uft_walk *w);
/* Takes the record that was peeked at. */
void uft_walk_take(struct uft_walk *w, struct uft_lane *l);
struct uft_lane *uft_walk_next(struct uft_walk *w);

/* NULL: there is no such task. */
struct uft_lane *uft_walk_lane(const struct uft_walk *w, int tid);

static inline size_t uft_lane_index(const struct uft_lane *l)
{
	return (size_t)(l - l->walk->lanes);
}

/* Is a record of this kind to be shown at all, by the options? */
bool uft_walk_wants(struct uft_walk *w, struct uft_lane *l);
/*
 * Is the current record shown, by filters and triggers? Its line is at margin.level. If it is, the
 * command prints or counts it, and then settles it. ret_trigger: what else happens at the function
 * of a call, NULL if nothing; may be NULL.
 */
bool uft_decide(struct uft_walk *w, struct uft_lane *l, const struct uft_trigger **ret_trigger);
void uft_settle(struct uft_walk *w, struct uft_lane *l);
/* Settles a call that was shown, after uft_look_ahead. */
void uft_settle_call(struct uft_walk *w, struct uft_lane *l, struct uft_call *call);
/* Settles a return, shown or not. */
void uft_settle_return(struct uft_lane *l);
/*
 * After a call was decided: takes records that are not shown, up to one that may be. Returns its
 * lane; NULL: none, or the call must not be joined with its return. depth: of the call.
 */
struct uft_lane *uft_look_ahead(struct uft_walk *w, struct uft_lane *l, int depth);

/* NULL: there is no such place on the stack. */
static inline struct uft_call *uft_call_at(struct uft_lane *l, int i)
{
	return !l->calls || i < 0 || (uint32_t)i >= l->walk->c.max_stack ? NULL : &l->calls[i];
}

/* The innermost open call. */
static inline struct uft_call *uft_call_open(struct uft_lane *l)
{
	return uft_call_at(l, l->n_open - 1);
}

/* The call that has just ended. */
static inline struct uft_call *uft_call_ended(struct uft_lane *l)
{
	return uft_call_at(l, l->n_open);
}

/*
 * The time of a call: how long it took; if it is open, when it began. After losses, and after a
 * longjmp that was not shown, a return may be shown while its call is open. Then uftrace shows when
 * that began, or takes a duration for a beginning. So no caller may assume which it is.
 */
static inline uint64_t uft_call_ns(const struct uft_call *call)
{
	return call->has_ended ? call->took_ns : call->began_ns;
}

/*
 * Ends the innermost call at the end of the records. False: it began later, or is unknown; then it
 * does not count.
 */
bool uft_call_cut(struct uft_lane *l, uint64_t time_ns, bool needs_addr);

/* The symbol at an address that is called at that time; NULL: unknown. */
const struct uft_sym *uft_walk_sym(struct uft_walk *w, struct uft_lane *l, uint64_t time_ns,
				   uint64_t addr);
/* The same of the current record; task switches have symbols, too. */
const struct uft_sym *uft_walk_rec_sym(struct uft_walk *w, struct uft_lane *l,
				       const struct uft_record *rec);
/* --no-libcall: is the function hidden? s may be NULL. */
bool uft_walk_hides_libcall(const struct uft_walk *w, const struct uft_sym *s);

/*
 * Returns the time at which the open calls of a task end: that of its last record. If that is a
 * task switch, it is the last one of all tasks; so uftrace's numbers are.
 */
static inline uint64_t uft_walk_end_ns(const struct uft_walk *w, const struct uft_lane *l)
{
	if (w->c.range_stop_ns)
		return w->c.range_stop_ns;
	return l->source == UFT_OF_CPU ? w->last_perf_ns : l->rec.time_ns;
}

/* Is the current record one of the kernel? */
static inline bool uft_in_kernel(const struct uft_lane *l)
{
	return l->source == UFT_OF_KERNEL && l->rec.type != UFT_LOST;
}

static inline bool uft_is_sched(uint64_t addr)
{
	return addr == UFT_EVENT_SCHED_IN || addr == UFT_EVENT_SCHED_OUT ||
	       addr == UFT_EVENT_SCHED_OUT_PREEMPT || addr == UFT_EVENT_SCHED_BOTH ||
	       addr == UFT_EVENT_SCHED_BOTH_PREEMPT;
}

#endif
