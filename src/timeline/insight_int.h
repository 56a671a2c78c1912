/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insight_int.h - what the files behind insight.h share: trees of frames, calls of a range.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INT_H
#define SONDE_TIMELINE_INSIGHT_INT_H

#include "timeline/callstack.h"
#include "timeline/forms.h"
#include "timeline/insight.h"
#include "timeline/lane_int.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
/* How much of [start, end] is in [from, to]. */
static inline uint64_t overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	start = later(start, from);
	end = earlier(end, to);
	return end > start ? end - start : 0;
}

/* "bash-812"; "an unknown task". */
const char *insight_task_name(const struct timeline *tl, int task, char *buf, size_t size);

/* --- trees of frames: flametree.c ------------------------------------------------------------------- */

#define FLAME_NODES_MAX (1u << 20)
#define FLAME_DEPTH_MAX 120 /* two levels of JSON each */

struct flame_node {
	uint32_t label, parent, first_child, next; /* 0: none; node 0 is the root */
	uint64_t self;
};

struct flametree {
	struct flame_node *nodes;
	uint32_t n, cap;
	uint32_t *slots;
	uint32_t n_slots;
	uint64_t seed;
	uint64_t n_dropped; /* weight that found no room */
};

int flametree_init(struct flametree *t);
void flametree_release(struct flametree *t);
/* The child of a node with this label; UINT32_MAX: no room. */
uint32_t flametree_child(struct flametree *t, uint32_t parent, uint32_t label);
void flametree_add(struct flametree *t, uint32_t node, uint64_t weight);
/* {"name":…,"value":…,"children":[…]}, children by weight. */
int flametree_emit(struct flametree *t, struct labels *labels, struct jsonwriter *w);

/* --- calls of a range: insight_calls.c --------------------------------------------------------------- */

/* path: labels from the outermost on, path[depth] is the call; ns and self_ns: within the range. */
typedef void (*call_sink)(void *ctx, int task, const uint32_t *path, unsigned depth, uint64_t start,
			  uint64_t ns, uint64_t self_ns);
/*
 * on_cpu: only time in which the task ran counts, if the trace tells it, and the idle task not at all. 0;
 * -ENODATA: the trace has no such events.
 */
int insight_each_call(struct lanes *ls, int task, uint64_t from, uint64_t to, bool on_cpu,
		      call_sink sink, void *ctx);

/* --- time that tasks ran: runclock.c ------------------------------------------------------------------ */

#define RUNCLOCK_MAX (4u << 20) /* runs */

struct run_start {
	uint64_t start, end, before; /* before: time that it ran before, since the range's start */
};

struct run_list {
	struct run_start *runs;
	size_t n, cap, last;
};

struct runclock {
	struct run_list *tasks; /* by task number */
	size_t n_runs;
	bool is_wall; /* nothing is known: all time counts */
	bool failed;
};

/* task -1: all of the machine. What does not fit leaves the clock on the wall. 0 or -ENOMEM. */
int runclock_init(struct runclock *rc, struct lanes *ls, uint32_t machine, int task, uint64_t from,
		  uint64_t to);
void runclock_release(struct runclock *rc);
/* How long the task ran until t. Fastest if t grows. */
uint64_t runclock_at(struct runclock *rc, int task, uint64_t t);

/* --- stacks: insight_stacks.c -------------------------------------------------------------------------- */

/* A tree of what is in the kernel_stack events; 0, -ENODATA: there are none. */
int insight_count_stacks(struct lanes *ls, int task, uint64_t from, uint64_t to,
			 struct flametree *t);
int insight_off_cpu(struct lanes *ls, int task, uint64_t from, uint64_t to, struct flametree *t,
		    bool *ret_has_stacks);

#endif
