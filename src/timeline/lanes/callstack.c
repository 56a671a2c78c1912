// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callstack.c - turn enters and leaves into spans.
 *
 *	enter a      a open
 *	enter b      a b open
 *	leave b      b closed
 *	leave x      x was never entered: it began before the recording, or its enter was lost
 *	enter c/0    a was not left, but the event says that nothing is above: closed, end unknown
 *
 * If events have a depth, it is trusted: after a loss the next event corrects the stack. Others
 * nest in the order of events; a leave closes the innermost call with its id, and calls above it
 * have lost their own leave. id 0 matches everything.
 *
 * An interrupt may come after a function has returned, but before its leave is written. Then
 * functions of the interrupt are between the two, at the same depth. Such a call is displaced, not
 * dropped; when its leave comes with a duration, the span gets that length.
 */
#include "timeline/lanes/callstack.h"

#include "timeline/lanes/lane.h"

static void close_call(struct callstack *cs, unsigned d, uint64_t end, uint8_t flags)
{
	struct open_call *c = &cs->calls[d];
	uint64_t ns;

	if (!c->is_open)
		return;
	end = end > c->start ? end : c->start;
	ns = end - c->start;
	if (c->is_cut)
		flags |= TILE_OPEN_START;
	if (d && cs->calls[d - 1].is_open)
		cs->calls[d - 1].child_ns += ns;
	cs->close(cs->ctx, cs, d, c, end, flags);
	c->is_open = false;
}

/* All calls from depth d on have lost their end. */
static void close_above(struct callstack *cs, unsigned d, uint64_t ts)
{
	while (cs->top > d)
		close_call(cs, --cs->top, ts, TILE_OPEN_END);
}

/* The oldest displaced call has lost its end. */
static void give_up(struct callstack *cs)
{
	struct displaced_call *d = &cs->displaced[0];
	uint8_t flags = TILE_OPEN_END | (d->call.is_cut ? TILE_OPEN_START : 0);

	cs->close(cs->ctx, cs, d->depth, &d->call, d->ts, flags);
	cs->n_displaced--;
	for (unsigned i = 0; i < cs->n_displaced; i++)
		cs->displaced[i] = cs->displaced[i + 1];
}

static void displace(struct callstack *cs, unsigned d, uint64_t ts)
{
	struct open_call *c = &cs->calls[d];

	if (!c->is_open)
		return;
	if (cs->n_displaced == CALLSTACK_DISPLACED)
		give_up(cs);
	cs->displaced[cs->n_displaced++] = (struct displaced_call){*c, ts, d};
	c->is_open = false;
}

/*
 * The leave of a displaced call: it ended after its recorded duration, before the other call began.
 */
static bool leave_displaced(struct callstack *cs, const struct mark *m)
{
	for (unsigned i = cs->n_displaced; m->extra && i-- > 0;) {
		struct displaced_call d = cs->displaced[i];
		uint64_t end = d.call.start + m->extra;

		if (d.depth != m->depth || d.call.id != m->id)
			continue;
		cs->n_displaced--;
		for (; i < cs->n_displaced; i++)
			cs->displaced[i] = cs->displaced[i + 1];
		cs->close(cs->ctx, cs, d.depth, &d.call, end < d.ts ? end : d.ts, 0);
		return true;
	}
	return false;
}

void callstack_enter(struct callstack *cs, const struct mark *m)
{
	unsigned d = m->depth == MARK_NO_DEPTH ? cs->top : m->depth;

	while (m->depth != MARK_NO_DEPTH && cs->top > d)
		displace(cs, --cs->top, m->ts);
	if (d >= CALLSTACK_MAX)
		return;
	for (unsigned i = cs->top; i < d; i++)
		cs->calls[i].is_open = false;
	cs->calls[d] =
		(struct open_call){.start = m->ts, .label = m->label, .id = m->id, .is_open = true};
	cs->top = d + 1;
}

static bool is_same(const struct open_call *c, const struct mark *m)
{
	return c->is_open && (!c->id || !m->id || c->id == m->id);
}

/* The depth of the call that is left, or cs->top if it is not open. */
static unsigned find_call(const struct callstack *cs, const struct mark *m)
{
	if (m->depth != MARK_NO_DEPTH)
		return m->depth < cs->top && is_same(&cs->calls[m->depth], m) ? m->depth : cs->top;
	for (unsigned d = cs->top; d-- > 0;)
		if (is_same(&cs->calls[d], m))
			return d;
	return cs->top;
}

/* Handles a leave whose begin was not recorded. */
static void leave_unseen(struct callstack *cs, const struct mark *m)
{
	unsigned d = m->depth == MARK_NO_DEPTH ? cs->top : m->depth;
	uint64_t start = cs->lower;
	bool is_told = m->extra && m->extra <= m->ts && m->ts - m->extra >= cs->lower;

	if (d >= CALLSTACK_MAX)
		return;
	if (is_told)
		start = m->ts - m->extra;
	if (m->depth != MARK_NO_DEPTH)
		close_above(cs, d, start);
	for (unsigned i = cs->top; i < d; i++)
		cs->calls[i].is_open = false;
	cs->calls[d] = (struct open_call){.start = start,
					  .label = m->label,
					  .id = m->id,
					  .is_open = true,
					  .is_cut = !is_told,
					  .is_unseen = true};
	cs->top = d + 1;
	close_call(cs, d, m->ts, 0);
	cs->top = d;
}

void callstack_leave(struct callstack *cs, const struct mark *m)
{
	unsigned d = find_call(cs, m);

	if (d == cs->top) {
		if (!leave_displaced(cs, m))
			leave_unseen(cs, m);
	} else {
		close_above(cs, d + 1, m->ts);
		/* only the leave has the reason of a guest exit */
		if (!cs->calls[d].label)
			cs->calls[d].label = m->label;
		cs->top = d;
		close_call(cs, d, m->ts, 0);
	}
	/* counted depths: no unseen call can begin before a call that ended here */
	if (m->depth == MARK_NO_DEPTH)
		cs->lower = m->ts;
}

void callstack_cut(struct callstack *cs, uint64_t ts)
{
	while (cs->n_displaced)
		give_up(cs);
	close_above(cs, 0, ts);
	cs->lower = ts;
}
