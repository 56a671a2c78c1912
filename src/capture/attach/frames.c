// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c - finds signal frames by their first word, the address of sigreturn.
 *
 * A handler may run on a signal stack: then the frame there has the stack pointer of the
 * interrupted code, and that stack is searched, too. What ended handlers have left looks the same;
 * it costs another try, no more.
 */
#include "capture/attach/frames.h"

#include "capture/attach/operation.h"

#define STACK_MAX_BYTES (16u << 20)
#define STEP_BYTES	(64u << 10)
#define STACKS_MAX	4		       /* inside each other */
#define FRAME_IP	(8 + 16 + 24 + 16 * 8) /* of rip, from the start of a signal frame */
#define FRAME_SP	(FRAME_IP - 8)

static bool find_range(const struct operation *o, uint64_t sp, uint64_t *ret_low,
		       uint64_t *ret_high)
{
	uint64_t low;

	*ret_low = sp & ~UINT64_C(7);
	if (!target_find(&o->target, *ret_low, &low, ret_high))
		return false;
	if (*ret_high > sp + STACK_MAX_BYTES)
		*ret_high = sp + STACK_MAX_BYTES;
	return true;
}

static uint64_t stack_pointer(const struct operation *o, size_t thread)
{
	const struct tracee *t = &o->threads.list[thread];

	return t == o->remote.thread ? o->remote.regs.rsp : t->regs.rsp;
}

bool frames_find_range(const struct operation *o, size_t thread, uint64_t *ret_low,
		       uint64_t *ret_high)
{
	return find_range(o, stack_pointer(o, thread), ret_low, ret_high);
}

struct search {
	frames_visit visit;
	uint64_t low, high; /* of the stack that is searched */
	uint64_t outer;	    /* a stack pointer elsewhere; 0: none */
};

static bool take_frame(struct operation *o, struct search *s, uint64_t frame)
{
	uint64_t words[2]; /* sp, ip */

	if (!tracees_read(o->pid, frame + FRAME_SP, words, sizeof(words)))
		return false;
	if (words[0] < s->low || words[0] >= s->high)
		s->outer = words[0];
	return s->visit(o, words[1], frame + FRAME_IP);
}

static bool search_stack(struct operation *o, struct search *s)
{
	uint64_t words[STEP_BYTES / sizeof(uint64_t)];

	for (uint64_t at = s->low; at < s->high; at += STEP_BYTES) {
		size_t n = s->high - at < STEP_BYTES ? s->high - at : STEP_BYTES;

		if (!tracees_read(o->pid, at, words, n))
			return true;
		for (size_t i = 0; i < n / sizeof(*words); i++)
			if (words[i] == o->target.code.sigreturn &&
			    take_frame(o, s, at + i * sizeof(*words)))
				return true;
	}
	return false;
}

bool frames_any(struct operation *o, size_t thread, frames_visit visit)
{
	struct search s = {.visit = visit, .outer = stack_pointer(o, thread)};

	for (unsigned i = 0; i < STACKS_MAX && s.outer; i++) {
		uint64_t sp = s.outer;

		s.outer = 0;
		if (find_range(o, sp, &s.low, &s.high) && search_stack(o, &s))
			return true;
	}
	return false;
}
