/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lane.h - one row of the picture: what a CPU ran, what a task did, spans, counters, ticks.
 *
 * A lane is named by a short text, its spec, which also stands in the page's address:
 *
 *	cpu:M:N              the tasks that CPU N of machine M ran
 *	task:M:PID           the states of a task: running, runnable, sleeping …, with waker; unknown where
 *	                     data is missing
 *	irq:M:N softirq:M:N  handlers on a CPU, as spans
 *	calls:M:PID          functions of a task, nested: function_graph of the kernel, or any pair of
 *	                     events that enter and leave (user functions come as the same)
 *	cpucalls:M:N         the same for a CPU
 *	sys:M:PID            system calls of a task, as spans
 *	event:M:SYSTEM/NAME  a tracepoint: ticks
 *	field:M:SYSTEM/NAME:FIELD[:PID|cpuN]   a number of it over time (min, max, last in each pixel)
 *	pair:M:SYSTEM/A:SYSTEM/B:KEY[:KEYB]    spans from A to B matched by a field, `pid` or `cpu`
 *	found:ID             hits of a selection (search), ticks
 *	all:M:N              all events of a CPU, ticks; lost events are marked in it
 *	vcpu:M:N             a virtual CPU: in its guest (kvm_entry … kvm_exit), and out of it, by the reason of
 *	                     the exit; M: the guest, or the host itself, then N is the host's thread
 *
 * Lanes are built when first asked for, by all threads, kept while memory allows (ceiling 256 MB, the
 * longest unused go first). A lane has one row, or several where spans nest.
 *
 * Zoom levels are powers of two: at level L a bucket is 2^L ns and a tile TILE_BUCKETS of them; tile
 * number T covers [T << (L + TILE_BITS), …). Where spans are longer than a bucket a tile has them as
 * they are; what is shorter is one record for each bucket, with the share of the time that was taken
 * (weight), so that what is drawn has the right area: a CPU that ran 3 % of the time is 3 % full.
 * Rare things do not get lost in it: flags are or-ed, and the weight of a bucket that has something is
 * never 0. LANE_CPU and LANE_SPANS: a bucket is one record, its value the one that took most of it.
 * LANE_STATES: a bucket is one record for each state in it, with that state's share, the largest first.
 * LANE_TICKS: x0 and x1 are the bucket, or the place of a single event (TILE_EXACT). LANE_COUNTER: a value
 * lasts until the next one, so the records have no gaps from the first sample on.
 */
#ifndef SONDE_TIMELINE_LANES_LANE_H
#define SONDE_TIMELINE_LANES_LANE_H

#include "timeline/timeline.h"

#define TILE_BITS    10
#define TILE_BUCKETS (1u << TILE_BITS)

enum lane_kind {		   /* how the page draws it; numbers are part of the protocol */
		 LANE_CPU = 1,	   /* value: task number; TIMELINE_NO_TASK: not known who */
		 LANE_STATES = 2,  /* value: enum task_state, aux: CPU */
		 LANE_SPANS = 3,   /* value: label number */
		 LANE_TICKS = 4,   /* value: how many in the bucket */
		 LANE_COUNTER = 5, /* min and max instead of value and weight */
};

enum tile_flags {
	TILE_EXACT = 1,	     /* a span as it is; else a bucket */
	TILE_MISSED = 2,     /* events were lost in it */
	TILE_FOUND = 4,	     /* hits of the search */
	TILE_OPEN_START = 8, /* began before what was recorded */
	TILE_OPEN_END = 16,  /* its end was not recorded */
	TILE_WAKER = 32,     /* LANE_STATES, runnable: the event that follows tells who woke it */
	TILE_PREEMPTED = 64, /* LANE_STATES: was taken off its CPU while runnable */
	TILE_UNKNOWN =
		128, /* LANE_CPU: there is time of which nobody knows who ran; no time of a task */
};

/* 16 bytes, little endian, as it goes over the wire. x: buckets since the tile's start. */
struct tile_record {
	float x0, x1;
	uint32_t value;	 /* see lane_kind; LANE_COUNTER: float min */
	uint16_t weight; /* share of [x0, x1) that is taken, 65535: all; LANE_COUNTER: see below */
	uint8_t row;	 /* depth */
	uint8_t flags;
};
/* LANE_COUNTER: the last eight bytes are float min, float max. */
struct counter_record {
	float x0, x1, min, max;
};

struct tile {
	struct tile_record *records;
	size_t n;
	bool is_whole; /* all of its range was indexed */
	double known; /* buckets from its start that the lane knows: fewer than it has where a live trace has grown */
};

struct lanes;
struct lane;

int lanes_new(struct lanes **ret, struct timeline *tl);
void lanes_free(struct lanes *ls);

/*
 * Makes found:ID known, or another selection by that ID; sel NULL: forgets it. It is held as long as it is known, and by
 * the lanes of it. -ENOSPC: too many.
 */
int lanes_set_selection(struct lanes *ls, uint64_t id, struct selection *sel);
/* Bytes of all lanes that are kept. */
size_t lanes_memory(struct lanes *ls);
/*
 * The trace grows: from now on lanes are built by a thread, and whoever asks gets what is there, which may be behind or
 * empty (tile.known). Off: it does not any more; lanes are made anew when they are asked for. One thread.
 */
int lanes_follow(struct lanes *ls, bool is_on);
struct timeline *lanes_timeline(struct lanes *ls);
/* The thread of which machine runs this virtual CPU of a guest; -1: not known. */
int lanes_find_vcpu(struct lanes *ls, uint32_t guest, uint32_t cpu, uint32_t *ret_host);

/* Is it the name of a lane, of whatever trace? -EINVAL with a sentence if not. */
int lane_check_name(const char *spec, struct errmsg *err);
/* -EINVAL with a sentence for a bad spec. The lane is counted: lane_put() gives it back. */
int lane_get(struct lanes *ls, const char *spec, struct lane **ret, struct errmsg *err);
void lane_put(struct lane *ln);
/*
 * The same for a time. A lane of more events than are gathered at once cannot be had whole (lane_get() says -E2BIG); then
 * it is a window of it that has t and is right in [*ret_from, *ret_to]. Of a whole lane that is all of time.
 */
int lane_get_at(struct lanes *ls, const char *spec, uint64_t t, struct lane **ret,
		uint64_t *ret_from, uint64_t *ret_to, struct errmsg *err);
/* How many events are gathered for one lane at a time; by default MARKS_MAX. Before the first lane. */
void lanes_set_events_max(struct lanes *ls, size_t n);
/*
 * Lanes that will be asked for next: they are built together, in one pass over the trace instead of one each. Of what is
 * wrong nothing is said here.
 */
void lanes_prepare(struct lanes *ls, const char *const *specs, size_t n_specs);
enum lane_kind lane_kind(const struct lane *ln);
unsigned lane_n_rows(const struct lane *ln); /* nesting depth met */
/* LANE_COUNTER: the range of all values. */
void lane_range(const struct lane *ln, double *ret_min, double *ret_max);

/* The caller frees ret->records. */
int lane_tile(struct lane *ln, int level, uint64_t number, struct tile *ret);

/* The text of a label number of a LANE_SPANS lane (function, irq name, system call). */
size_t lane_label(struct lane *ln, uint32_t value, char *buf, size_t size);

/* What is at, or nearest to, time t in row `row` of the lane; for snapping, tooltips, stepping. */
struct lane_span {
	uint64_t start, end; /* equal: a tick */
	uint32_t value, aux; /* aux: LANE_STATES: CPU (or ~0); waker's task number in waker */
	int32_t waker;	     /* task number or -1 */
	bool waker_in_irq;
	event_ref first, last; /* events that begin and end it; UINT64_MAX: none */
	uint8_t row, flags;
	double number; /* LANE_COUNTER */
};
enum lane_step { LANE_AT, LANE_NEAREST, LANE_NEXT, LANE_PREVIOUS };
/* 0, or -ENOENT where there is none. */
int lane_span_at(struct lane *ln, uint64_t t, unsigned row, enum lane_step step,
		 struct lane_span *ret);
/* All spans of [from, to], clipped to nothing, in order of their start; ends when each is false. */
int lane_each(struct lane *ln, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct lane_span *span), void *ctx);

/*
 * lane_span_at() and lane_each(), through as many windows as it takes. A span that reaches beyond its window by more than
 * a quarter of it is cut there (open start, open end). *ret_part_ns (may be NULL): the smallest window that was used,
 * unless a smaller one stands there; of a whole lane it stays.
 */
int lanes_span_at(struct lanes *ls, const char *spec, uint64_t t, unsigned row, enum lane_step step,
		  struct lane **ret_lane, struct lane_span *ret, struct errmsg *err);
int lanes_each(struct lanes *ls, const char *spec, uint64_t from, uint64_t to,
	       bool (*each)(void *ctx, const struct lane_span *span), void *ctx,
	       uint64_t *ret_part_ns, struct errmsg *err);

#endif
