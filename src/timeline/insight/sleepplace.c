// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sleepplace.c - finds where a task sleeps, from the stack after its switch.
 *
 *  CPU 1   sched_switch prev=bash  kernel_stack (bash): schedule ← io_schedule ← folio_wait_bit ← …
 *                                                                                └ the answer
 *
 * A stack belongs to the switch if it is the next event of the CPU and of the task that left
 * (stacks.c). The innermost frames are the scheduler's own and general helpers that wait for any
 * condition; they are skipped. The first other frame shows what the task waits for. A stack follows
 * its event at once, so only STACK_NEAR_NS are searched.
 */
#include "timeline/insight/sleepplace.h"

#include "analyse/sched/waitplace.h"
#include "decode/formats/event.h"

#include <string.h>

#define STACK_NEAR_NS 1000000
#define FRAMES_LOOKED 16

int sleep_places_init(struct sleep_places *p, struct lanes *ls)
{
	return stack_reader_init(&p->reader, ls);
}

void sleep_places_release(struct sleep_places *p)
{
	stack_reader_release(&p->reader);
}

struct looking {
	struct sleep_places *p;
	uint16_t task;
	uint64_t ts;
	bool is_behind; /* the event before was the switch */
	const char *found;
};

static bool is_switch(const struct timeline *tl, uint16_t kind)
{
	const struct event *e = timeline_kind(tl, kind)->event;

	return e && !strcmp(e->system, "sched") && !strcmp(e->name, "sched_switch");
}

static void read_place(struct looking *l, const struct walk_event *ev)
{
	struct stack_reader *r = &l->p->reader;
	uint32_t labels[FRAMES_LOOKED];
	unsigned n = stack_reader_frames(r, ev, labels, FRAMES_LOOKED);

	for (unsigned i = 0; i < n && !l->found; i++) {
		const char *frame = labels_find(&r->ls->labels, labels[i]);

		if (!frame_is_general_wait(frame, strlen(frame)))
			l->found = frame;
	}
}

static bool look_stack(void *ctx, const struct walk_event *ev)
{
	struct looking *l = ctx;

	if (l->is_behind) {
		if (ev->task == l->task &&
		    stack_reader_kind(&l->p->reader, ev->kind) == STACK_KERNEL)
			read_place(l, ev);
		return false;
	}
	l->is_behind = ev->ts == l->ts && is_switch(l->p->reader.ls->tl, ev->kind);
	return l->is_behind || ev->ts == l->ts;
}

const char *sleep_places_find(struct sleep_places *p, size_t stream, uint16_t task, uint64_t ts)
{
	struct looking l = {.p = p, .task = task, .ts = ts};
	struct walk_wants wants = {.from = ts, .to = ts + STACK_NEAR_NS};
	bool whole;

	if (p->reader.has_any)
		timeline_walk(p->reader.ls->tl, stream, &wants, look_stack, &l, &whole);
	return l.found;
}
