/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lane.h - one row of the picture: tasks of a CPU, states of a task, spans, counters, ticks.
 *
 * A short text, its spec, names a lane; it is also part of the page's address:
 *
 *	cpu:M:N              the tasks that CPU N of machine M ran
 *	task:M:PID           the states of a task: running, runnable, sleeping …, with waker;
 *	                     unknown where data is missing
 *	irq:M:N softirq:M:N  handlers on a CPU, as spans
 *	calls:M:PID          functions of a task, nested: function_graph of the kernel, or any pair
 *	                     of events that enter and leave (user functions have the same form)
 *	cpucalls:M:N         the same for a CPU
 *	sys:M:PID            system calls of a task, as spans
 *	event:M:SYSTEM/NAME  a tracepoint: ticks
 *	field:M:SYSTEM/NAME:FIELD[:PID|cpuN]   a number of it over time (min, max, last per pixel)
 *	                                       value[event=3~cs]: only events whose field event is 3
 *	pair:M:SYSTEM/A:SYSTEM/B:KEY[:KEYB]    spans from A to B, matched by a field, `pid` or `cpu`
 *	found:ID             hits of a selection (search), ticks
 *	all:M:N              all events of a CPU, ticks; lost events are marked in it
 *	vcpu:M:N             a virtual CPU: inside its guest (kvm_entry … kvm_exit), and outside, by
 *	                     exit reason; M: the guest; or the host, and N is its thread
 *
 * All threads build a lane when it is first requested. Lanes stay in memory up to a ceiling of 256
 * MB; above it the least recently used ones are freed. A lane has one row, or several where spans
 * nest.
 *
 * Zoom levels are powers of two: at level L a bucket is 2^L ns and a tile has TILE_BUCKETS of them;
 * tile number T covers [T << (L + TILE_BITS), …). A tile contains spans longer than a bucket
 * unchanged. Shorter spans become one record per bucket with their share of its time (weight), so
 * that the drawn area is right: a CPU that ran 3 % of the time is 3 % full. Rare events stay
 * visible: flags are or-ed, and the weight of a bucket that is not empty is never 0.
 *
 * LANE_CPU and LANE_SPANS: one record per bucket, with the value that took most of it. LANE_STATES:
 * one record per bucket and state, with that state's share, the largest first. LANE_TICKS: x0 and
 * x1 are the bucket, or the position of a single event (TILE_EXACT). LANE_COUNTER: a value lasts
 * until the next one, so the records have no gaps after the first sample.
 */
#ifndef SONDE_TIMELINE_LANES_LANE_H
#define SONDE_TIMELINE_LANES_LANE_H

#include "timeline/timeline.h"

#define TILE_BITS    10
#define TILE_BUCKETS (1u << TILE_BITS)

/* how the page draws a lane; the numbers are part of the protocol */
enum lane_kind {
	LANE_CPU = 1,	  /* the value is a task number; TIMELINE_NO_TASK: unknown */
	LANE_STATES = 2,  /* the value is an enum task_state; aux is the CPU */
	LANE_SPANS = 3,	  /* the value is a label number */
	LANE_TICKS = 4,	  /* the value is the number of events in the bucket */
	LANE_COUNTER = 5, /* the record has min and max instead of value and weight */
};

enum tile_flags {
	TILE_EXACT = 1,	     /* the record is a span; otherwise a bucket */
	TILE_MISSED = 2,     /* events were lost in the record's time */
	TILE_FOUND = 4,	     /* the record contains hits of the search */
	TILE_OPEN_START = 8, /* the span began before the recording */
	TILE_OPEN_END = 16,  /* the end of the span was not recorded */
	TILE_WAKER = 32,     /* LANE_STATES, runnable: the event that follows names the waker */
	TILE_PREEMPTED = 64, /* LANE_STATES: the task was preempted */
	TILE_UNKNOWN = 128,  /* LANE_CPU: for some of the time the running task is unknown */
};

/*
 * A record of 16 bytes, little endian, as sent to the page. x counts buckets since the tile's
 * start.
 */
struct tile_record {
	float x0, x1;
	uint32_t value;	 /* see lane_kind; LANE_COUNTER: float min */
	uint16_t weight; /* used share of [x0, x1), 65535: all; LANE_COUNTER: see below */
	uint8_t row;	 /* depth */
	uint8_t flags;
};
/* A record of LANE_COUNTER: the last eight bytes are float min, float max. */
struct counter_record {
	float x0, x1, min, max;
};

struct tile {
	struct tile_record *records;
	size_t n;
	bool is_whole; /* the whole range of the tile was indexed */
	/* number of buckets from the start that the lane covers; a live trace grows */
	double known;
};

struct lanes;
struct lane;
struct textbuf;

int lanes_new(struct lanes **ret, struct timeline *tl);
void lanes_free(struct lanes *ls);

/*
 * Registers sel as found:ID, or replaces the selection of that ID. If sel is NULL, removes it. The
 * registration and its lanes hold the selection. Returns -ENOSPC if there are too many.
 */
int lanes_set_selection(struct lanes *ls, uint64_t id, struct selection *sel);
/* Returns the memory of all lanes in bytes. */
size_t lanes_memory(struct lanes *ls);
/*
 * Follows a growing trace. If is_on is true, threads build the lanes from now on, and a request
 * gets the current state, which may lag or be empty (tile.known). If false, the trace no longer
 * grows, and lanes are rebuilt on request. Call it from one thread.
 */
int lanes_follow(struct lanes *ls, bool is_on);
/*
 * Finds the thread, and its machine, that runs this virtual CPU of a guest. Returns -1 if it is
 * unknown.
 */
int lanes_find_vcpu(struct lanes *ls, uint32_t guest, uint32_t cpu, uint32_t *ret_host);

/* Returns -EINVAL with a message if the text is not a valid name of a lane, in any trace. */
int lane_check_name(const char *spec, struct errmsg *err);
/*
 * Finds or builds a lane. Returns -EINVAL with a message for a bad spec. Takes a reference, which
 * lane_put() releases.
 */
int lane_get(struct lanes *ls, const char *spec, struct lane **ret, struct errmsg *err);
void lane_put(struct lane *ln);
/*
 * Like lane_get(), for a time t. If the lane has more events than can be gathered at once
 * (lane_get() returns -E2BIG), this returns a window of the lane that contains t and is correct in
 * [*ret_from, *ret_to]. For a whole lane the window is the whole trace.
 */
int lane_get_at(struct lanes *ls, const char *spec, uint64_t t, struct lane **ret,
		uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err);
/*
 * Sets the maximum number of events gathered for one lane at a time; the default is MARKS_MAX. Call
 * it before the first lane.
 */
void lanes_set_events_max(struct lanes *ls, size_t n);
/*
 * Builds lanes that will be requested next, in one pass over the trace for all. Reports no errors.
 */
void lanes_prepare(struct lanes *ls, const char *const *specs, size_t n_specs);
enum lane_kind lane_kind(const struct lane *ln);
unsigned lane_n_rows(const struct lane *ln); /* nesting depth */
/* Gets the range of all values of a LANE_COUNTER. */
void lane_range(const struct lane *ln, double *ret_min, double *ret_max);

/* Makes a tile. The caller frees ret->records. */
int lane_tile(struct lane *ln, int level, uint64_t number, struct tile *ret);

/* Writes the text of a label number of a LANE_SPANS lane (function, irq name, system call). */
size_t lane_label(struct lane *ln, uint32_t value, char *buf, size_t size);

/* The span at, or nearest to, time t in a row of the lane; for snapping, tooltips, stepping. */
struct lane_span {
	uint64_t start, end; /* if they are equal, the span is a tick */
	uint32_t value, aux; /* aux, LANE_STATES: CPU (or ~0) */
	int32_t waker;	     /* task number or -1 */
	bool waker_in_irq;
	event_ref first, last; /* events that begin and end the span; UINT64_MAX: none */
	uint8_t row, flags;
	double number; /* value of a LANE_COUNTER */
};
enum lane_step { LANE_AT, LANE_NEAREST, LANE_NEXT, LANE_PREVIOUS };
/* Finds the span at, or nearest to, time t. Returns 0, or -ENOENT if there is none. */
int lane_span_at(struct lane *ln, uint64_t t, unsigned row, enum lane_step step,
		 struct lane_span *ret);
/*
 * Reads the arguments and the return value of a call, as texts in C's manner: "3, \"name\"" and
 * "7". Empty texts were not recorded. Returns false if both are empty.
 */
bool lane_read_values(const struct lane *ln, const struct lane_span *s, struct textbuf *args,
		      struct textbuf *ret);
/* Returns true if calls with arguments or return values were recorded. */
bool lanes_have_values(const struct lanes *ls);
/*
 * Visits all spans that touch [from, to], not clipped, ordered by start, until each returns false.
 */
int lane_each(struct lane *ln, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct lane_span *span), void *ctx);

/*
 * Like lane_span_at() and lane_each(), through as many windows as necessary. A span that extends
 * beyond its window by more than a quarter of the window is cut there (open start, open end).
 * *ret_part_ns (may be NULL) becomes the size of the smallest window used, if that is smaller than
 * the value there. A whole lane does not change it.
 */
int lanes_span_at(struct lanes *ls, const char *spec, uint64_t t, unsigned row, enum lane_step step,
		  struct lane **ret_lane, struct lane_span *ret, struct errmsg *err);
int lanes_each(struct lanes *ls, const char *spec, uint64_t from, uint64_t to,
	       bool (*each)(void *ctx, const struct lane_span *span), void *ctx,
	       uint64_t *ret_part_ns, struct errmsg *err);

/* Like lane_tile(), lane_n_rows() and lane_range(), for as many windows as necessary. */
struct lanes_tile {
	struct tile tile; /* the caller frees tile.records */
	enum lane_kind kind;
	unsigned n_rows;
	double low, high; /* only for LANE_COUNTER */
};
int lanes_tile(struct lanes *ls, const char *spec, int level, uint64_t number,
	       struct lanes_tile *ret, struct errmsg *err);
/* Finds the largest number of rows in [from, to]. */
int lanes_count_rows(struct lanes *ls, const char *spec, uint64_t from, uint64_t to, unsigned *ret,
		     struct errmsg *err);

#endif
