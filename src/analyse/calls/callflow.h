/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callflow.h - the open calls of every task: records in, calls with their callers and times out.
 *
 *  callflow_new ─▶ callflow_add … (in the order of time of each task) ─▶ callflow_finish
 *      ─▶ callflow_free
 *
 *	frames of a task   main │ parse │ next_token │ vfs_read │ schedule
 *	                   ╰──── n_user: the program ╯╰──── the kernel ───╯
 *
 * A task has one stack: the calls of its program, and on top those of the kernel that are made on
 * behalf of them. Events have a depth, which is trusted: after a loss the next event corrects the
 * stack. Idle tasks share pid 0, so their CPU identifies them.
 *
 * All analyses of calls (calltimes.h, callgraph.h, replay.h) are sinks of this. Only one thread may
 * use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLS_CALLFLOW_H
#define SONDE_ANALYSE_CALLS_CALLFLOW_H

#include "analyse/calls/callfilter.h"
#include "base/map.h"
#include "decode/callevent.h"
#include "decode/record.h"
#include "decode/walker.h"

struct callflow;
struct errmsg;
struct formats;
struct tasks;

/* A function. Those of programs with the same name in the same file are one, see by_address. */
struct flow_func {
	uint64_t addr;
	const char *name, *module; /* module: of programs the file; NULL: the kernel itself */
	const char *source;	   /* "parse.c:120", where it begins; NULL: unknown */
	uint32_t name_len;
	uint32_t number; /* in the order of appearance */
	uint8_t verdict; /* enum call_verdict */
	bool is_user;
	bool is_inlined; /* of samples: its code is a part of the caller's */
	bool is_name;	 /* of samples: not a function but a task, a line of a folded file … */
	void *aside;	 /* the sink's */
};

enum flow_flags {
	FLOW_USER = 1,
	FLOW_SHOWN = 2,	    /* the filter lets it pass, as far as is known when it begins */
	FLOW_OUTERMOST = 4, /* the same function is not open below it */
	FLOW_INSIDE = 8,    /* a function of CALL_ONLY is open, or there are none */
	FLOW_OUTSIDE = 16,  /* below a function whose calls are not shown */
	FLOW_LEADS = 32,    /* a function of CALL_CALLERS was called below it, or there are none */
	FLOW_FOLDED = 64,   /* it came as CALL_WHOLE */
	FLOW_TOLD = 128,    /* with a range: the sink knows that it began */
};

struct flow_frame {
	struct flow_func *func; /* NULL: unknown, only something it calls was recorded */
	uint64_t start;
	uint64_t end;	/* of CALL_WHOLE; else 0 */
	uint64_t inner; /* time in calls below it that are shown */
	void *aside;	/* the sink's */
	uint32_t epoch; /* grows where events are lost */
	uint32_t up;	/* index + 1 of the next lower frame that is shown; 0: none */
	uint32_t level; /* shown frames below it */
	uint32_t flags; /* enum flow_flags */
};

#define FLOW_BITS 4096

struct flow_task {
	int64_t who; /* pid, or -1 - CPU of an idle task */
	const struct task *task;
	struct flow_frame *frames;
	uint32_t n, cap, n_user;
	uint32_t last_cpu;
	uint32_t source; /* of its last call in a program */
	uint64_t last_ts;
	uint64_t free_ts; /* later time belongs to the last frame, or was not recorded */
	bool is_told;	  /* with a range: the sink knows what was open when the range began */
	uint64_t open_bits[FLOW_BITS / 64]; /* functions that are open, by number */
	struct map open;		    /* the others, by their struct flow_func */
	void *aside;			    /* the sink's */
	struct flow_task *next;
	/* In a part of a trace (callparts.c): the first `base` frames stand for unknown calls. */
	bool has_begun;
	uint32_t base;
	uint32_t n_since;     /* events since the last one that was kept */
	uint64_t inner_whole; /* inner time of CALL_WHOLE for the unknown calls */
};

/* How a call ended. */
struct flow_end {
	uint64_t ts;
	uint64_t duration, self; /* if is_known; if is_open until the task's last event */
	bool is_known;		 /* both its beginning and its end were recorded */
	bool is_open;		 /* it did not return: exec, end of its thread or of the trace */
	bool is_counted;	 /* the filter lets it pass, now that all is known */
	/*
	 * With a range, duration and self have only the time inside of it, and ts is its end at
	 * most. whole: also the time outside.
	 */
	uint64_t whole;
	bool is_before, is_after; /* it began before the range; it ended after it */
};

struct flow_sink {
	void *ctx;
	/* A call begins that is FLOW_SHOWN. May be NULL. The frame is the task's last one. */
	void (*enter)(void *ctx, struct flow_task *t, struct flow_frame *f);
	/*
	 * It ends. rec: the record that says so; NULL at the end of the trace. A call whose
	 * beginning was not recorded has no enter().
	 */
	void (*leave)(void *ctx, struct flow_task *t, struct flow_frame *f,
		      const struct flow_end *end, const struct record *rec);
	/*
	 * For parts. In a part, a segment of a task begins: until the next one, or the end of the
	 * part, the unknown calls below its calls stay the same. Returns false if memory is short.
	 * The task's `aside` is the sink's for the segment.
	 */
	bool (*begin)(void *ctx, struct flow_task *t);
	/*
	 * In the whole: t has the calls that were open in the segment. aside: that of the part.
	 * Returns 0 or a negative errno.
	 */
	int (*join)(void *ctx, struct flow_task *t, void *aside);
	/* In the whole: the next event is the one with which this segment began. Optional. */
	void (*seek)(void *ctx, const void *aside);
	/* In the whole: f is a call that the part left open, with the part's `aside`. Optional. */
	void (*carry)(void *ctx, struct flow_frame *f);
};

struct flow_counts {
	uint64_t n_events;
	uint64_t n_unknown; /* returns without a time: the call was not seen */
	uint64_t n_lost;    /* calls whose return was not seen, though the trace has later events */
	uint64_t n_cut;	    /* those of n_lost that are of programs: their end was lost */
	uint64_t n_open;    /* did not return */
	uint64_t n_gaps;    /* places where events were lost */
	uint64_t n_dropped; /* too deep, or no memory */
	uint64_t n_clipped; /* begin before or end after the range */
	uint64_t paused;    /* time in which user functions were switched off, of all tasks */
};

struct callflow_config {
	const struct callfilter *filter; /* NULL: all */
	bool with_own;			 /* sonde's own activity, too */
	bool by_address; /* functions with the same name (overloads) are different ones */
	/*
	 * Only this time counts; to 0: all. Records outside of it are needed, too: they say which
	 * calls are open when it begins, and how those end that are open when it ends.
	 */
	uint64_t from, to;
};

/* f, config and sink must stay valid. 0 or -ENOMEM. */
int callflow_new(struct callflow **ret, struct formats *f, const struct callflow_config *config,
		 const struct flow_sink *sink);
void callflow_free(struct callflow *cf);

/* Takes any record. Records of other kinds only show where events were lost. */
void callflow_add(struct callflow *cf, const struct record *rec);
/* The same, if the kind is known. */
void callflow_add_kind(struct callflow *cf, const struct call_kind *kind, const struct record *rec);
/*
 * Takes records from w itself, as long as they are simple and earlier than `before`. Call it after
 * callflow_add() of the record before them, with that record: cpu, source and task of it are used,
 * the other members get new values. Time in w plus offset is the record's time. The file must have
 * this machine's byte order.
 */
void callflow_run(struct callflow *cf, struct walker *w, struct record *rec, uint64_t offset,
		  uint64_t before);
/*
 * Follows a part of a trace, to be joined with the parts before it. Call it before the first event.
 * Returns -ENOTSUP if only one flow can follow the trace: with a filter, a range, pauses.
 */
int callflow_make_part(struct callflow *cf);
/*
 * Adds a part to cf, which has joined all parts before it, and empties it. tasks: those of cf.
 * Returns 0 or a negative errno: -EAGAIN if only one flow can follow the trace.
 */
int callflow_join(struct callflow *cf, struct callflow *part, struct tasks *tasks);
/* Returns the function of the whole that stands for one of the part, during a join. */
struct flow_func *callflow_same(const struct callflow *part, const struct flow_func *fn);
/* Is the function open in the task? */
bool callflow_is_open(const struct flow_task *t, const struct flow_func *fn);

/* The trace has ended: all open calls end. */
void callflow_finish(struct callflow *cf);

const struct call_kinds *callflow_kinds(const struct callflow *cf);
const struct flow_counts *callflow_counts(const struct callflow *cf);
/* Takes a record of another kind: ends calls of its task whose time has passed. */
void callflow_settle(struct callflow *cf, const struct record *rec);
/* The same of a task, at a time when it has no events. */
void callflow_settle_task(struct callflow *cf, struct flow_task *t, uint64_t now);
/* The open calls of a record's task, or NULL; the same by pid, not for idle tasks. */
struct flow_task *callflow_task(struct callflow *cf, const struct record *rec);
struct flow_task *callflow_find(struct callflow *cf, int pid);
/* The same; adds the task if it is new. NULL: no memory. */
struct flow_task *callflow_take(struct callflow *cf, const struct record *rec);
/* All tasks, linked by next. */
struct flow_task *callflow_tasks(const struct callflow *cf);

/* The frame that called f, among those that are shown; NULL: none. */
static inline struct flow_frame *flow_caller(const struct flow_task *t, const struct flow_frame *f)
{
	return f->up ? &t->frames[f->up - 1] : NULL;
}

#endif
