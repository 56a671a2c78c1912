/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * insight_int.h - declarations that the files behind insight.h share: trees of frames, calls of a
 * range.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INSIGHT_INT_H
#define SONDE_TIMELINE_INSIGHT_INSIGHT_INT_H

#include "base/map.h"
#include "decode/formats/event.h"
#include "timeline/lanes/callstack.h"
#include "timeline/lanes/forms.h"
#include "timeline/insight/insight.h"
#include "timeline/lanes/lane_int.h"

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}
/* Returns how much of [start, end] is in [from, to]. */
static inline uint64_t overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	start = later(start, from);
	end = earlier(end, to);
	return end > start ? end - start : 0;
}

/* --- trees of frames: flametree.c ------------------------------------------------------------- */

#define FLAME_NODES_MAX (1u << 20)
#define FLAME_DEPTH_MAX 120 /* each level takes two levels of JSON */

/* Returns the meaning of a node as one number: a label, or another kind of frame. */
static inline uint32_t frame_key(enum frame_kind kind, uint32_t value)
{
	return (uint32_t)kind << 24 | (value & 0xffffff);
}
static inline uint32_t frame_key_task(enum frame_kind kind, int task)
{
	return frame_key(kind, task < 0 ? FRAME_NO_TASK : task);
}

struct flame_node {
	uint32_t key, parent, first_child, next; /* 0: none; node 0 is the root */
	uint64_t self;
};

struct flametree {
	struct flame_node *nodes;
	uint32_t n, cap;
	struct map children; /* number of a node by its parent and its key */
	uint64_t n_dropped;  /* weight for which there was no room */
};

int flametree_init(struct flametree *t);
void flametree_release(struct flametree *t);
/* Finds or adds the child of a node with this key. Returns UINT32_MAX if there is no room. */
uint32_t flametree_child(struct flametree *t, uint32_t parent, uint32_t key);
void flametree_add(struct flametree *t, uint32_t node, uint64_t weight);
/* Makes the frames of insight.h, which the caller frees. Returns 0 or -ENOMEM. */
int flametree_list(const struct flametree *t, struct labels *labels, struct flame_frame **ret,
		   size_t *ret_n);

/* --- calls of a range: calls.c --------------------------------------------------------------- */

struct counted_call {
	int task;
	const uint32_t *path; /* labels from the outermost on, path[depth] is the call */
	unsigned depth;
	uint64_t start;
	/*
	 * times within the range: ns while the task ran, self_ns of it outside deeper calls,
	 * wall_ns in total
	 */
	uint64_t ns, self_ns, wall_ns;
	bool is_cut; /* the begin or end was not recorded, so the times are no durations */
};
typedef void (*call_sink)(void *ctx, const struct counted_call *call);
/*
 * Visits all calls of a range. Returns 0, or -ENODATA if the trace has no such events. *ret_is_wall
 * is set if the trace does not show when tasks ran; then the time asleep counts, too.
 */
int insight_each_call(struct lanes *ls, int task, uint64_t from, uint64_t to, bool with_idle,
		      call_sink sink, void *ctx, bool *ret_is_wall);
/* Returns true if there are events of functions. */
bool insight_has_calls(struct lanes *ls);

/* --- time that tasks ran: runclock.c ---------------------------------------------------------- */

#define RUNCLOCK_MAX (4u << 20) /* limit of runs */

struct run_start {
	/* before: time that the task ran before this run, since the range's start */
	uint64_t start, end, before;
};

struct run_list {
	struct run_start *runs;
	size_t n, cap, last;
	bool is_known; /* if false, it is unknown when the task ran: all time counts */
};

struct runclock {
	struct run_list *tasks; /* by task number; for the idle task by runclock_idle() */
	size_t n_runs;
	bool is_wall; /* no switches are known: all time counts */
	bool failed;
};

/* Returns the number to use for the idle task, which runs on all CPUs and has a clock on each. */
static inline uint16_t runclock_idle(uint32_t cpu)
{
	return UINT16_MAX - 1 - (cpu & 0xfff);
}
/*
 * Collects the runs of a task, or of all tasks of the machine (-1). A task for which there is no
 * room uses wall clock time. Returns 0 or -ENOMEM.
 */
int runclock_init(struct runclock *rc, struct lanes *ls, uint32_t machine, int task, uint64_t from,
		  uint64_t to);
void runclock_release(struct runclock *rc);
/* Returns how long the task ran until t. It is fastest if t grows from call to call. */
uint64_t runclock_at(struct runclock *rc, int task, uint64_t t);

/* --- stacks: stacks.c ------------------------------------------------------------------------- */

/* Returns true if ev is the event SYSTEM/NAME. */
bool insight_is_event(const struct event *ev, const char *name);
/*
 * Makes a tree of the stacks in kernel_stack and user_stack events. event: only stacks of this
 * event, SYSTEM/NAME. n_of has the number of stacks by kind of their event; n_of[n_kinds] counts
 * those of unknown events. Returns 0, or -ENODATA if there are none.
 */
int insight_count_stacks(struct lanes *ls, const char *event, int task, uint64_t from, uint64_t to,
			 struct flametree *t, uint64_t *n_of, size_t n_kinds);
int insight_off_cpu(struct lanes *ls, int task, uint64_t from, uint64_t to, struct flametree *t,
		    bool *ret_has_stacks);

/* --- lanes that cannot be looked at: spans.c -------------------------------------------------- */

/* Adds a refused lane. text is copied and may be NULL. Returns 0 or -ENOMEM. */
int lanes_refuse(struct lanes_refused *list, const char *spec, enum refusal why, const char *text);
void lanes_refused_release(struct lanes_refused *list);

#endif
