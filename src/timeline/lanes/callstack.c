// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callstack.c - makes spans from enters and leaves.
 *
 *	enter a      a open
 *	enter b      a b open
 *	leave b      b closed
 *	leave x      x was never entered: it began before the recording, or its enter was lost
 *	enter c/0    a was not left, but the depth shows that no call is open: a is closed, its end
 *	             is unknown
 *
 * If events have a depth, it is trusted: after a loss the next event corrects the stack. Events
 * without a depth nest in their order; a leave closes the innermost call with its id, and calls
 * above it have lost their own leave. id 0 matches any id.
 *
 * Calls of a program and of the kernel have depths of their own: those of the kernel count from the
 * program's open calls. A call of a program that calls nothing is one event with its duration.
 * Calls of the kernel may be inside such a call, so it ends before the next event of its task that
 * is outside.
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

/* Closes all calls from depth d on. Their ends are lost, unless they contain their duration. */
static void close_above(struct callstack *cs, unsigned d, uint64_t ts)
{
	while (cs->top > d) {
		const struct open_call *c = &cs->calls[--cs->top];

		if (c->end && c->end <= ts)
			close_call(cs, cs->top, c->end, 0);
		else
			close_call(cs, cs->top, ts, TILE_OPEN_END);
	}
	if (cs->n_user > d)
		cs->n_user = d;
}

/* Ends a call with a known duration before an event that is not inside it. */
static void settle(struct callstack *cs, const struct mark *m)
{
	const struct open_call *c = cs->n_user ? &cs->calls[cs->n_user - 1] : NULL;

	if (c && c->is_open && c->end &&
	    (m->is_user || (cs->top == cs->n_user && c->end <= m->ts))) {
		unsigned d = cs->n_user - 1;

		close_above(cs, d + 1, m->ts);
		cs->top = cs->n_user = d;
		close_call(cs, d, c->end, 0);
	}
}

/* Returns the depth of a call that is open, or that will be opened. */
static unsigned place_of(const struct callstack *cs, const struct mark *m)
{
	if (m->depth == MARK_NO_DEPTH)
		return cs->top;
	return m->is_user ? m->depth : cs->n_user + m->depth;
}

/* Closes the oldest displaced call, whose end is lost. */
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
 * Handles the leave of a displaced call: it ended after its recorded duration, before the other
 * call began.
 */
static bool leave_displaced(struct callstack *cs, const struct mark *m)
{
	for (unsigned i = cs->n_displaced; m->extra && i-- > 0;) {
		struct displaced_call d = cs->displaced[i];
		uint64_t end = d.call.start + m->extra;

		if (d.depth != place_of(cs, m) || d.call.id != m->id)
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
	unsigned d;

	settle(cs, m);
	d = place_of(cs, m);
	while (m->depth != MARK_NO_DEPTH && cs->top > d)
		displace(cs, --cs->top, m->ts);
	if (d >= CALLSTACK_MAX)
		return;
	for (unsigned i = cs->top; i < d; i++)
		cs->calls[i].is_open = false;
	cs->calls[d] =
		(struct open_call){.start = m->ts, .label = m->label, .id = m->id, .is_open = true};
	if (m->is_whole)
		cs->calls[d].end = m->ts + m->extra;
	cs->top = d + 1;
	if (m->is_user)
		cs->n_user = d + 1;
}

static bool is_same(const struct open_call *c, const struct mark *m)
{
	return c->is_open && (!c->id || !m->id || c->id == m->id);
}

/* Returns the depth of the call that is left, or cs->top if it is not open. */
static unsigned find_call(const struct callstack *cs, const struct mark *m)
{
	unsigned at = place_of(cs, m);

	if (m->depth != MARK_NO_DEPTH)
		return at < cs->top && is_same(&cs->calls[at], m) ? at : cs->top;
	for (unsigned d = cs->top; d-- > 0;)
		if (is_same(&cs->calls[d], m))
			return d;
	return cs->top;
}

/* Handles a leave whose begin was not recorded. */
static void leave_unseen(struct callstack *cs, const struct mark *m)
{
	unsigned d = place_of(cs, m);
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
	if (m->is_user)
		cs->n_user = d;
}

void callstack_leave(struct callstack *cs, const struct mark *m)
{
	unsigned d;

	settle(cs, m);
	d = find_call(cs, m);
	if (d == cs->top) {
		if (!leave_displaced(cs, m))
			leave_unseen(cs, m);
	} else {
		close_above(cs, d + 1, m->ts);
		/* only the leave has the reason of a guest exit */
		if (!cs->calls[d].label)
			cs->calls[d].label = m->label;
		cs->top = d;
		if (m->is_user)
			cs->n_user = d;
		close_call(cs, d, m->ts, 0);
	}
	/*
	 * with counted depths, an unseen call cannot begin before a call that ended here; leaves of
	 * a program do not contain the start, so an unseen call cannot begin before the last moment
	 * without open calls
	 */
	if (m->depth == MARK_NO_DEPTH || (m->is_user && !m->depth))
		cs->lower = m->ts;
}

void callstack_cut(struct callstack *cs, uint64_t ts)
{
	while (cs->n_displaced)
		give_up(cs);
	close_above(cs, 0, ts);
	cs->n_user = 0;
	cs->lower = ts;
}
