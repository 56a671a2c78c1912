// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * calls.c - finds the function calls of a range: counts, durations and callers.
 *
 * For one task, its lane contains all calls. For all tasks, the events are processed in slices of
 * time, with a stack for each task. First come the events before the range, to find the calls that
 * are open at its start (calls_cache.c stores these for the next time), then the events in the
 * range. Finally events after the range are read, until it is known which of the open calls return.
 * The idle task has a stack for each CPU. A call is unknown if its start was not recorded and it
 * ends after the range.
 *
 *	range           [================]
 *	a call       ├──────────┤        :           counts, with its part in the range
 *	                     ├───────────:──┤        counts, too: it returns after the range
 *	                          ├──────:─ ─ ─      is cut: its duration is unknown
 *
 * A call whose start or end was not recorded has no duration: it counts as cut, and its time
 * belongs to no function, as in `sonde functions`. The calls that it makes count.
 *
 * A probe on an address is a call only if another probe records its return; otherwise it is a
 * single event. If there are such probes, a first pass finds those with a return.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "timeline/insight/insight_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_MARKS (1u << 20)
/* limit of marks read after a range; calls that are still open then count as returning */
#define AHEAD_MARKS (8u << 20)

struct counted_stack;

struct calling {
	struct lanes *ls;
	call_sink sink;
	void *ctx;
	uint64_t from, to;
	uint32_t machine;
	uint64_t version;	       /* version of the index */
	int task;		       /* the task of the calls, for the sink */
	uint16_t clock_of;	       /* clock of the calls: see runclock_idle() */
	struct forms forms;	       /* for all tasks: */
	struct counted_stack **stacks; /* by task, then by CPU for the idle task */
	int idle;
	uint32_t path[CALLSTACK_MAX];
	bool with_idle, is_wall;
	bool is_behind;	   /* true while events after the range are read */
	bool is_undecided; /* true while it is unknown whether some open calls return */
	struct runclock clock;
	uint8_t *left; /* labels of loose forms that have a leave; NULL: there are no loose forms */
};

/*
 * A stack, and the time spent in deeper calls since each depth was last left. The time is on the
 * clock of the range.
 */
struct counted_stack {
	struct callstack cs;
	uint64_t below[CALLSTACK_MAX + 1];
};

/* Returns the length of the part of [start, end] that is in the range, on the clock in use. */
static uint64_t length_of(struct calling *c, uint64_t start, uint64_t end)
{
	uint64_t a, b;

	start = later(start, c->from);
	end = earlier(end, c->to);
	if (end <= start)
		return 0;
	a = runclock_at(&c->clock, c->clock_of, start);
	b = runclock_at(&c->clock, c->clock_of, end);
	return b > a ? b - a : 0;
}

/* Reports the call path[depth]. `below` is the time in the calls that it made. */
static void give_call(struct calling *c, unsigned depth, uint64_t start, uint64_t end, uint64_t ns,
		      uint64_t below, uint8_t flags)
{
	struct counted_call call = {.task = c->task, .path = c->path, .depth = depth};

	call.is_cut = flags & (TILE_OPEN_START | TILE_OPEN_END);

	call.start = start;
	call.ns = ns;
	call.self_ns = ns > below ? ns - below : 0;
	call.wall_ns = overlap(start, end, c->from, c->to);
	c->sink(c->ctx, &call);
}

/* --- one task: its lane ----------------------------------------------------------------------- */

struct open_span {
	uint64_t start, end, child_ns;
	uint8_t flags;
};

struct lane_calls {
	struct calling *c;
	struct open_span open[LANE_ROWS_MAX];
	unsigned top;
};

static void pop(struct lane_calls *l, unsigned depth)
{
	while (l->top > depth) {
		struct open_span *o = &l->open[--l->top];
		uint64_t ns = length_of(l->c, o->start, o->end);

		if (l->top)
			l->open[l->top - 1].child_ns += ns;
		give_call(l->c, l->top, o->start, o->end, ns, o->child_ns, o->flags);
	}
}

static bool add_lane_span(void *ctx, const struct lane_span *s)
{
	struct lane_calls *l = ctx;
	unsigned depth;

	/* a call that ended before this one is not its caller, even if its row is above */
	while (l->top && l->open[l->top - 1].end <= s->start)
		pop(l, l->top - 1);
	depth = s->row < l->top ? s->row : l->top;
	pop(l, depth);
	if (depth >= LANE_ROWS_MAX)
		return true;
	l->c->path[depth] = s->value;
	l->open[depth] = (struct open_span){s->start, s->end, 0, s->flags};
	l->top = depth + 1;
	return true;
}

static int calls_of_task(struct calling *c)
{
	const struct timeline_task *t = timeline_task(c->ls->tl, c->task);
	SCOPED(scope_free) struct lane_calls *l = NULL;
	struct errmsg err = {0};
	struct lane *ln;
	uint64_t from, to;
	char spec[64];
	int r;

	snprintf(spec, sizeof(spec), "calls:%u:%d", t->machine, t->pid);
	r = lane_get_at(c->ls, spec, c->from, &ln, &from, &to, &err);
	if (r < 0)
		return r == -EINVAL ? -ENODATA : r;
	lane_put(ln);
	l = calloc(1, sizeof(*l));
	r = l ? runclock_init(&c->clock, c->ls, t->machine, c->task, c->from, c->to) : -ENOMEM;
	if (!r) {
		l->c = c;
		c->clock_of = c->task;
		c->is_wall = c->clock.is_wall;
		r = lanes_each(c->ls, spec, c->from, c->to, add_lane_span, l, NULL, &err);
		pop(l, 0);
	}
	runclock_release(&c->clock);
	return r;
}

/* --- all tasks -------------------------------------------------------------------------------- */

static void close_call(void *ctx, const struct callstack *cs, unsigned depth,
		       const struct open_call *call, uint64_t end, uint8_t flags)
{
	struct calling *c = ctx;
	struct counted_stack *st = (struct counted_stack *)cs;
	uint64_t ns = length_of(c, call->start, end), below = st->below[depth + 1];
	unsigned n = 0;

	for (unsigned i = 0; i < depth; i++)
		if (cs->calls[i].is_open)
			c->path[n++] = cs->calls[i].label;
	c->path[n] = call->label;
	st->below[depth] += ns;
	for (unsigned i = depth + 1; i <= CALLSTACK_MAX && st->below[i]; i++)
		st->below[i] = 0;
	if (c->is_behind && (call->start > c->to || call->is_unseen))
		return;
	if (c->is_undecided)
		flags &= ~TILE_OPEN_END;
	/* calls that ended before the range are needed only for the stack */
	if (end > c->from || (end == c->from && call->start == end))
		give_call(c, n, call->start, end, ns, below, flags);
}

static bool make_mark(void *ctx, struct mark_cache *cache, const struct walk_event *ev,
		      void *ret_mark)
{
	struct calling *c = ctx;
	struct mark *ret = ret_mark;

	if (!forms_mark(&c->forms, cache, ev, ret))
		return false;
	if (c->left && ret->what == MARK_ENTER && form_is_loose(c->forms.kinds[ev->kind].form) &&
	    !bit_get(c->left, ret->label))
		return false;
	/* only the CPU distinguishes idle tasks */
	if (ev->task == c->idle)
		ret->task =
			runclock_idle(timeline_stream(c->ls->tl, event_ref_stream(ev->ref))->cpu);
	return true;
}

static struct callstack *stack_of(struct calling *c, uint16_t task)
{
	struct counted_stack *st = c->stacks[task];

	if (st)
		return &st->cs;
	st = calloc(1, sizeof(*st));
	if (!st)
		return NULL;
	st->cs.close = close_call;
	st->cs.ctx = c;
	c->stacks[task] = st;
	return &st->cs;
}

static bool is_idle_stack(const struct calling *c, uint32_t task)
{
	return task >= timeline_n_tasks(c->ls->tl);
}

static int run_marks(struct calling *c, const struct marks *m)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct mark *k = &m->marks[i];
		struct callstack *cs;

		if (!c->with_idle && is_idle_stack(c, k->task))
			continue;
		cs = stack_of(c, k->task);
		if (!cs)
			return -ENOMEM;
		c->task = is_idle_stack(c, k->task) ? c->idle : k->task;
		c->clock_of = k->task;
		if (k->what == MARK_ENTER)
			callstack_enter(cs, k);
		else
			callstack_leave(cs, k);
	}
	return 0;
}

/* Estimates the number of marks in a range from the whole trace. */
static uint64_t expected_marks(const struct calling *c, uint64_t length)
{
	struct timeline *tl = c->ls->tl;
	uint64_t n = 0;

	for (size_t i = 0; i < c->forms.n_kinds; i++)
		if (c->forms.kinds[i].form)
			n += timeline_kind(tl, i)->n_events;
	return (uint64_t)((double)n * length / (timeline_duration(tl) + 1)) + 1;
}

static const struct callstack *stack_at(void *ctx, uint16_t task)
{
	const struct calling *c = ctx;

	return c->stacks[task] ? &c->stacks[task]->cs : NULL;
}

/* Stores the calls that are open now, for later requests. */
static void keep_moment(struct calling *c, uint64_t ts)
{
	if (timeline_progress(c->ls->tl) >= 1)
		calls_cache_add(c->ls->calls, c->machine, c->version, ts, stack_at, c);
}

static int fill_stack(void *ctx, uint16_t task, const struct callstack *from)
{
	struct callstack *cs = stack_of(ctx, task);

	if (!cs)
		return -1;
	memcpy(cs->calls, from->calls, from->top * sizeof(from->calls[0]));
	memcpy(cs->displaced, from->displaced, from->n_displaced * sizeof(from->displaced[0]));
	cs->top = from->top;
	cs->n_user = from->n_user;
	cs->n_displaced = from->n_displaced;
	cs->lower = from->lower;
	return 0;
}

/* Processes the events of [from, to], some SLICE_MARKS at a time. */
static int run_slices(struct calling *c, const struct lane *where, const uint8_t *kinds,
		      uint64_t from, uint64_t to)
{
	uint64_t n = expected_marks(c, to - from) / SLICE_MARKS + 1, step = (to - from) / n + 1;

	for (uint64_t at = from; at <= to; at += step) {
		struct mark_wants wants = {.streams = where->streams,
					   .n_streams = where->n_streams,
					   .from = at,
					   .to = to - at < step ? to : at + step - 1,
					   .kinds = kinds,
					   .n_kinds = c->forms.n_kinds,
					   .make = make_mark,
					   .ctx = c};
		struct marks m;
		int r = marks_gather(&m, c->ls->tl, &wants);

		r = r < 0 ? r : run_marks(c, &m);
		free(m.marks);
		TRY(r);
		if (wants.to < c->from)
			keep_moment(c, wants.to + 1);
	}
	return 0;
}

/* Returns true if a call is open that began in the range, or before. */
static bool has_open(const struct calling *c)
{
	for (size_t i = 0; i <= UINT16_MAX; i++) {
		const struct callstack *cs = c->stacks[i] ? &c->stacks[i]->cs : NULL;

		for (unsigned d = 0; cs && d < cs->top; d++)
			if (cs->calls[d].is_open && cs->calls[d].start <= c->to)
				return true;
	}
	return false;
}

/* Reads events after the range to find which open calls return. */
static int run_ahead(struct calling *c, const struct lane *where, const uint8_t *kinds)
{
	uint64_t end = timeline_duration(c->ls->tl), at = c->to, step = (c->to - c->from) / 4 + 1;
	uint64_t n = 0;
	int r = 0;

	c->is_behind = true;
	while (!r && at < end && n < AHEAD_MARKS && has_open(c)) {
		uint64_t next = end - at < step ? end : at + step;

		n += expected_marks(c, next - at);
		r = run_slices(c, where, kinds, at + 1, next);
		at = next;
		step *= 2;
	}
	c->is_undecided = at < end;
	return r;
}

static int run_range(struct calling *c, const struct lane *where, const uint8_t *kinds)
{
	uint64_t at;

	c->version = lanes_version(c->ls->tl);
	at = calls_cache_load(c->ls->calls, c->machine, c->version, c->from, fill_stack, c);
	if (at < c->from)
		TRY(run_slices(c, where, kinds, at, c->from - 1));
	TRY(run_slices(c, where, kinds, c->from, c->to));
	return run_ahead(c, where, kinds);
}

static bool note_left(void *ctx, struct mark_cache *cache, const struct walk_event *ev, void *ret)
{
	struct calling *c = ctx;
	struct mark m;

	if (forms_mark(&c->forms, cache, ev, &m) && m.label < LABELS_MAX)
		__atomic_fetch_or(&c->left[m.label / 8], 1 << m.label % 8, __ATOMIC_RELAXED);
	return false;
}

/* Finds which loose forms are calls: those that have a leave anywhere. */
static int find_left(struct calling *c, const struct lane *where)
{
	struct gatherer g = {.streams = where->streams, .n_streams = where->n_streams};
	SCOPED(scope_free) uint8_t *kinds = calloc(1, c->forms.n_kinds / 8 + 1);
	bool is_needed = false;
	int r = kinds ? 0 : -ENOMEM;

	for (size_t i = 0; !r && i < c->forms.n_kinds; i++) {
		const struct form_kind *fk = &c->forms.kinds[i];

		if (!fk->form || !form_is_loose(fk->form))
			continue;
		is_needed |= !fk->is_leave;
		if (fk->is_leave)
			bit_set(kinds, i);
	}
	if (!r && is_needed && !(c->left = calloc(1, LABELS_MAX / 8)))
		r = -ENOMEM;
	g.kinds = kinds;
	g.n_kinds = c->forms.n_kinds;
	g.take = note_left;
	g.ctx = c;
	g.item_bytes = sizeof(struct mark);
	if (!r && is_needed)
		r = gather(c->ls->tl, &g, 1, 0, TIMELINE_TIME_MAX);
	free(g.items);
	return r;
}

static int run_machine(struct calling *c, struct lane *where)
{
	SCOPED(scope_free) uint8_t *kinds = NULL;

	TRY(forms_init(&c->forms, c->ls->tl, &c->ls->labels, c->machine, FORM_CALLS));
	if (!c->forms.n_found)
		return -ENODATA;
	TRY(lane_take_streams(where, c->machine, -1));
	kinds = calloc(1, c->forms.n_kinds / 8 + 1);
	c->stacks = calloc(UINT16_MAX + 1, sizeof(*c->stacks));
	if (!kinds || !c->stacks)
		return -ENOMEM;
	for (size_t i = 0; i < c->forms.n_kinds; i++)
		if (c->forms.kinds[i].form)
			bit_set(kinds, i);
	c->idle = timeline_find_task(c->ls->tl, c->machine, 0);
	TRY(runclock_init(&c->clock, c->ls, c->machine, -1, c->from, c->to));
	c->is_wall |= c->clock.is_wall;
	TRY(find_left(c, where));
	return run_range(c, where, kinds);
}

static int calls_of_machine(struct calling *c, uint32_t machine)
{
	struct lane where = {.owner = c->ls};
	int r;

	c->machine = machine;
	c->is_behind = c->is_undecided = false;
	r = run_machine(c, &where);
	for (size_t i = 0; c->stacks && i <= UINT16_MAX; i++) {
		c->task = is_idle_stack(c, i) ? c->idle : (int)i;
		c->clock_of = i;
		if (c->stacks[i] && !r)
			callstack_cut(&c->stacks[i]->cs,
				      later(c->to, timeline_duration(c->ls->tl)));
		free(c->stacks[i]);
	}
	free(TAKE(c->stacks));
	free(TAKE(c->left));
	runclock_release(&c->clock);
	free(where.streams);
	forms_release(&c->forms);
	return r;
}

int insight_each_call(struct lanes *ls, int task, uint64_t from, uint64_t to, bool with_idle,
		      call_sink sink, void *ctx, bool *ret_is_wall)
{
	struct calling c = {.ls = ls, .sink = sink, .ctx = ctx, .from = from, .task = task};
	size_t source = 0;
	uint32_t machine;
	bool any = false;
	int r = 0;

	c.with_idle = with_idle;
	c.to = earlier(to, timeline_duration(ls->tl));
	*ret_is_wall = false;
	if (from > c.to)
		return 0;
	if (task >= 0) {
		r = calls_of_task(&c);
		*ret_is_wall = c.is_wall;
		return r;
	}
	while (!r && lanes_next_machine(ls->tl, &source, &machine)) {
		r = calls_of_machine(&c, machine);
		any |= !r;
		r = r == -ENODATA ? 0 : r;
	}
	*ret_is_wall = c.is_wall;
	return r < 0 ? r : any ? 0 : -ENODATA;
}

bool insight_has_calls(struct lanes *ls)
{
	size_t source = 0;
	uint32_t machine;
	bool any = false;

	while (!any && lanes_next_machine(ls->tl, &source, &machine)) {
		struct forms forms;

		if (forms_init(&forms, ls->tl, &ls->labels, machine, FORM_CALLS) < 0)
			break;
		any = forms.n_found;
		forms_release(&forms);
	}
	return any;
}
