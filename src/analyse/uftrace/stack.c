// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * stack.c - the open calls of a task, and how long calls took.
 *
 * Rules:
 *
 *  1. A call opens a place on the stack, its return closes it. A task switch is a call, too: the
 *     task stops at its begin and runs again at its end. Other events are none.
 *  2. What a call took counts as inner time of its caller. A call has at most as much inner time as
 *     it took.
 *  3. The first record of a task tells how deep it is: a child of fork(), or a recording that was
 *     switched on late, begins in the middle. The calls around it are open since then, and have no
 *     address. A child goes on as far to the right as its parent was inside of fork().
 *  4. A return without a call took no time.
 *  5. Records are lost: that is one ns inside of the innermost function, and task switches that are
 *     open end. The next record tells how deep the task is now; functions that are new then began
 *     one ns before.
 *  6. Calls of the kernel are inside of the functions of the program. A record of the program ends
 *     them.
 *  7. Calls without a return end with the records of their task, or with the range.
 *
 * The stack never grows: calls that are too deep are only counted. A place keeps what was in it, so
 * a call that has just ended can still be asked for.
 */
#include "analyse/uftrace/walk_int.h"

#include "format/uftrace.h"

#include <errno.h>
#include <stdlib.h>

int uft_stack_init(struct uft_lane *l)
{
	uint32_t max = l->walk->c.max_stack;

	l->calls = calloc(max, sizeof(*l->calls));
	if (!l->calls)
		return -ENOMEM;
	for (uint32_t i = 0; i < max; i++)
		l->calls[i].levels_outside = l->walk->c.depth;
	return 0;
}

/* What a record does to the stack. */
enum step { STEP_NONE, STEP_OPEN, STEP_CLOSE, STEP_LOSE };

static enum step step_of(const struct uft_record *rec)
{
	switch (rec->type) {
	case UFT_ENTRY:
		return STEP_OPEN;
	case UFT_EXIT:
		return STEP_CLOSE;
	case UFT_LOST:
		return STEP_LOSE;
	case UFT_EVENT:
		break;
	}
	if (rec->addr == UFT_EVENT_SCHED_IN)
		return STEP_CLOSE;
	return rec->addr == UFT_EVENT_SCHED_OUT || rec->addr == UFT_EVENT_SCHED_OUT_PREEMPT
		       ? STEP_OPEN
		       : STEP_NONE;
}

/* How deep the current record is. A task switch does not tell. */
static int depth_told(const struct uft_lane *l)
{
	return l->rec.type == UFT_EVENT ? 0 : l->rec.depth;
}

/* The inner time of the place i grows. */
static void add_inner(struct uft_lane *l, int i, uint64_t ns)
{
	struct uft_call *call = uft_call_at(l, i);

	if (call)
		call->inner_ns += ns;
}

static void set_took(struct uft_call *call, uint64_t ns)
{
	call->took_ns = ns;
	call->has_ended = true;
	if (call->inner_ns > ns)
		call->inner_ns = ns;
}

static void set_began(struct uft_call *call, uint64_t ns)
{
	call->began_ns = ns;
	call->inner_ns = 0;
	call->has_ended = false;
}

/* Rule 3. */
static void begin(struct uft_lane *l, enum step step)
{
	const struct uft_lane *parent =
		l->task && l->task->ppid ? uft_walk_lane(l->walk, l->task->ppid) : NULL;
	struct uft_call *call;

	l->footing = UFT_FIRM;
	l->scope.levels = l->walk->c.depth;
	if (parent && parent->fork_level)
		l->margin = (struct uft_margin){.level = parent->fork_level};
	l->n_open = depth_told(l) + (step == STEP_CLOSE);
	if (uft_in_kernel(l))
		l->n_open += l->n_functions + (parent ? parent->fork_level : 0);
	for (int i = 0; i < l->n_open && (call = uft_call_at(l, i)); i++) {
		set_began(call, l->rec.time_ns);
		call->has_begun = true;
	}
}

/* Rule 5, after the loss. */
static void resume(struct uft_lane *l, enum step step)
{
	struct uft_call *call;

	l->footing = UFT_FIRM;
	l->n_open = depth_told(l) + (step == STEP_CLOSE) + (uft_in_kernel(l) ? l->n_functions : 0);
	for (int i = 0; i <= depth_told(l) && (call = uft_call_at(l, l->n_functions + i)); i++) {
		set_began(call, l->rec.time_ns - 1);
	}
}

/* Rule 5. */
static void lose(struct uft_lane *l)
{
	struct uft_call *gap = uft_call_ended(l);
	uint64_t end_ns = 0;

	l->footing = UFT_ADRIFT;
	l->margin.is_stale = true;
	if (gap && l->n_open >= l->n_functions) {
		/* nothing tells when the loss was, but what was in its place */
		end_ns = uft_call_ns(gap) + 1;
		set_took(gap, 1);
		add_inner(l, l->n_open - 1, 1);
	}
	for (int i = l->n_open - 1; i >= l->n_functions; i--) {
		struct uft_call *call = uft_call_at(l, i);

		if (!call)
			continue;
		if (!end_ns)
			end_ns = uft_call_ns(call) + 1;
		set_took(call, end_ns - uft_call_ns(call));
		add_inner(l, i - 1, call->took_ns);
	}
}

static void open_call(struct uft_lane *l)
{
	struct uft_call *call = uft_call_at(l, l->n_open++);

	if (l->source == UFT_OF_TASK)
		l->n_functions++;
	if (!call)
		return;
	call->addr = l->rec.addr;
	set_began(call, l->rec.time_ns);
	call->has_begun = true;
}

static void close_call(struct uft_lane *l)
{
	struct uft_call *call = uft_call_open(l);

	if (call) {
		set_took(call, call->has_begun ? l->rec.time_ns - uft_call_ns(call) : 0);
		call->has_begun = false;
		add_inner(l, l->n_open - 2, call->took_ns);
	}
	if (l->n_open > 0)
		l->n_open--;
	if (l->source == UFT_OF_TASK && l->n_functions > 0)
		l->n_functions--;
}

void uft_stack_follow(struct uft_lane *l)
{
	enum step step = step_of(&l->rec);

	if (step == STEP_NONE)
		return;
	if (l->footing == UFT_NOT_BEGUN)
		begin(l, step);
	if (l->footing == UFT_ADRIFT && step != STEP_LOSE)
		resume(l, step);
	if (l->was_kernel && l->source == UFT_OF_TASK && step != STEP_LOSE) {
		l->n_open = l->n_functions;
		l->scope.levels = l->walk->c.depth - l->n_open;
	}
	l->was_kernel = uft_in_kernel(l);
	if (step == STEP_OPEN)
		open_call(l);
	else if (step == STEP_CLOSE)
		close_call(l);
	else if (l->footing == UFT_FIRM)
		lose(l);
}

bool uft_call_cut(struct uft_lane *l, uint64_t time_ns, bool needs_addr)
{
	struct uft_call *call = uft_call_at(l, --l->n_open);
	uint64_t ns;

	if (!call || uft_call_ns(call) > time_ns || (needs_addr && !call->addr))
		return false;
	ns = time_ns - uft_call_ns(call);
	call->has_ended = true;
	call->took_ns = ns < call->inner_ns ? call->inner_ns : ns;
	add_inner(l, l->n_open - 1, call->took_ns);
	return true;
}
