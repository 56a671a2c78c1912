/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insight_int.h - what the files behind insight.h share: trees of frames, calls of a range.
 */
#ifndef SONDE_TIMELINE_INSIGHT_INSIGHT_INT_H
#define SONDE_TIMELINE_INSIGHT_INSIGHT_INT_H

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
/* How much of [start, end] is in [from, to]. */
static inline uint64_t overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	start = later(start, from);
	end = earlier(end, to);
	return end > start ? end - start : 0;
}

/* --- trees of frames: flametree.c ------------------------------------------------------------------- */

#define FLAME_NODES_MAX (1u << 20)
#define FLAME_DEPTH_MAX 120 /* two levels of JSON each */

/* What a node stands for, in one number: a label, or what else a frame can be. */
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
	uint32_t *slots;
	uint32_t n_slots;
	uint64_t seed;
	uint64_t n_dropped; /* weight that found no room */
};

int flametree_init(struct flametree *t);
void flametree_release(struct flametree *t);
/* The child of a node with this key; UINT32_MAX: no room. */
uint32_t flametree_child(struct flametree *t, uint32_t parent, uint32_t key);
void flametree_add(struct flametree *t, uint32_t node, uint64_t weight);
/* As insight.h has them; the caller frees *ret. 0 or -ENOMEM. */
int flametree_list(const struct flametree *t, struct labels *labels, struct flame_frame **ret,
		   size_t *ret_n);

/* --- calls of a range: calls.c --------------------------------------------------------------- */

struct counted_call {
	int task;
	const uint32_t *path; /* labels from the outermost on, path[depth] is the call */
	unsigned depth;
	uint64_t start;
	/* within the range: while its task ran, of that in no other call, and all of it */
	uint64_t ns, self_ns, wall_ns;
	bool is_cut; /* its begin or end was not recorded: the times are no lengths */
};
typedef void (*call_sink)(void *ctx, const struct counted_call *call);
/*
 * 0; -ENODATA: the trace has no such events. *ret_is_wall: it does not tell when tasks ran, so that the time
 * asleep counts as well.
 */
int insight_each_call(struct lanes *ls, int task, uint64_t from, uint64_t to, bool with_idle,
		      call_sink sink, void *ctx, bool *ret_is_wall);
/* Are there events of functions at all? */
bool insight_has_calls(struct lanes *ls);

/* --- time that tasks ran: runclock.c ------------------------------------------------------------------ */

#define RUNCLOCK_MAX (4u << 20) /* runs */

struct run_start {
	uint64_t start, end, before; /* before: time that it ran before, since the range's start */
};

struct run_list {
	struct run_start *runs;
	size_t n, cap, last;
	bool is_known; /* else nothing tells when it ran: all time counts */
};

struct runclock {
	struct run_list *tasks; /* by task number; of the idle task by runclock_idle() */
	size_t n_runs;
	bool is_wall; /* nothing is known: all time counts */
	bool failed;
};

/* The idle task runs on all CPUs, and has a clock on each: this instead of its number. */
static inline uint16_t runclock_idle(uint32_t cpu)
{
	return UINT16_MAX - 1 - (cpu & 0xfff);
}
/* task -1: all of the machine. What does not fit leaves the clock on the wall. 0 or -ENOMEM. */
int runclock_init(struct runclock *rc, struct lanes *ls, uint32_t machine, int task, uint64_t from,
		  uint64_t to);
void runclock_release(struct runclock *rc);
/* How long the task ran until t. Fastest if t grows. */
uint64_t runclock_at(struct runclock *rc, int task, uint64_t t);

/* --- stacks: stacks.c -------------------------------------------------------------------------- */

/* Is it the event SYSTEM/NAME? */
bool insight_is_event(const struct event *ev, const char *name);
/*
 * A tree of what is in the kernel_stack and user_stack events; event: only those of this one, SYSTEM/NAME. n_of: by kind of the
 * event that a stack belongs to, how many there are; n_of[n_kinds]: where that is not known. 0, -ENODATA: there are
 * none.
 */
int insight_count_stacks(struct lanes *ls, const char *event, int task, uint64_t from, uint64_t to,
			 struct flametree *t, uint64_t *n_of, size_t n_kinds);
int insight_off_cpu(struct lanes *ls, int task, uint64_t from, uint64_t to, struct flametree *t,
		    bool *ret_has_stacks);

/* --- lanes that cannot be looked at: spans.c ---------------------------------------------------- */

/* text: copied; may be NULL. 0 or -ENOMEM. */
int lanes_refuse(struct lanes_refused *list, const char *spec, enum refusal why, const char *text);
void lanes_refused_release(struct lanes_refused *list);

#endif
