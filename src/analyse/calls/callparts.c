// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * callparts.c - follows the calls of parts of a trace separately, and joins them.
 *
 *	task          main │ parse │ next_token         what is open at the cut: unknown to part 2
 *	part 2   enter 3 … leave 3, leave 2 …, leave 1 …
 *	         ^ kept    local    ^ kept     ^ kept
 *
 * Events have a depth. So after the first event of a task its depth is known, although the calls
 * that are open are not: they are frames without a function, the `base` of the part's stack. An
 * event above the base needs only what is above it, and the part handles it. An event at or below
 * it (the return of an unknown call, mostly) is kept, with the depth after it as the new base. A
 * task keeps its first event and one for each level that it returns through, so these are few.
 *
 * Between two kept events of a task lies a segment, in which the unknown calls stay the same. What
 * it does to them is a sum: inner time for the last of them. The sink learns of segments, too: a
 * call that is outermost in a segment is not, if the same function is open in the base.
 *
 * join: for each kept event, in their order, the segment before it is added to the stack of the
 * whole, which now has the calls of the base; then the whole takes the event as if it came from the
 * trace. At the end it gets the frames that the part left open.
 *
 * The result is that of a single walk. What cannot be proved equal returns -EAGAIN: calls of
 * programs and of the kernel in one trace (the depth of the kernel's counts from the program's,
 * which is unknown), losses in traces with several sources, stacks that do not have the expected
 * depth, lack of memory.
 */
#include "analyse/calls/callflow_int.h"
#include "base/array.h"
#include "decode/formats/formats.h"
#include "symbols/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MAX  (1u << 18) /* events; with more, one flow does it */
#define FUNCS_MAX (1u << 20)

/* What the events of a task between two kept ones did. */
struct flow_segment {
	uint32_t base;
	uint32_t n_events;
	uint64_t inner;	      /* for the last call of the base */
	uint64_t inner_whole; /* for the last one that is known */
	uint64_t last_ts;
	void *aside; /* the sink's */
};

struct kept_event {
	struct call_event ev;
	const struct task *task;
	uint64_t ts;
	uint32_t at, epoch, cpu;
	uint16_t source;
	uint8_t kind; /* row of call_kinds */
	bool is_first;
	void *aside;		    /* of the segment after it */
	struct flow_segment before; /* unless is_first */
};

struct flow_part {
	struct kept_event *list;
	size_t n, cap;
	struct flow_func **funcs; /* by number */
	struct flow_func **same;  /* … those of the whole */
	size_t n_funcs, cap_funcs, cap_same, n_same;
	bool is_short; /* of memory, or of luck */
};

/*
 * --- in a part ---------------------------------------------------------------------------------
 */

int callflow_make_part(struct callflow *cf)
{
	if (cf->has_range || cf->pauses || cf->filter_kinds || cf->max_depth || cf->min_duration ||
	    cf->drops_user || cf->drops_kernel || !cf->sink->begin)
		return -ENOTSUP;
	cf->part = calloc(1, sizeof(*cf->part));
	/* functions of programs are unified by their names; those of the kernel the whole names */
	if (!cf->kinds.has_user)
		formats_forgo_symbols(cf->f);
	return cf->part ? 0 : -ENOMEM;
}

void callparts_free(struct flow_part *p)
{
	if (!p)
		return;
	free(p->list);
	free(p->funcs);
	free(p->same);
	free(p);
}

void callparts_note_func(struct callflow *cf, struct flow_func *fn)
{
	struct flow_part *p = cf->part;

	if (!ARRAY_ROOM(p->funcs, p->cap_funcs, p->n_funcs + 1, FUNCS_MAX))
		p->is_short = true;
	else
		p->funcs[p->n_funcs++] = fn;
}

static struct flow_segment end_segment(const struct flow_task *t)
{
	return (struct flow_segment){.base = t->base,
				     .n_events = t->n_since,
				     .inner = t->base ? t->frames[t->base - 1].inner : 0,
				     .inner_whole = t->inner_whole,
				     .last_ts = t->last_ts,
				     .aside = t->aside};
}

/* The first `base` calls of the task are unknown from here on, and all others have ended. */
static void begin_segment(struct callflow *cf, struct flow_task *t, uint32_t base, bool is_user)
{
	t->has_begun = true;
	t->base = t->n = base;
	t->n_user = is_user ? base : 0;
	t->n_since = 0;
	t->inner_whole = 0;
	if (base >= DEPTH_MAX || (base > t->cap && !callflow_grow(cf, t, base))) {
		cf->part->is_short = true;
		t->base = t->n = t->n_user = 0;
		t->aside = NULL; /* sinks pass over the rest; nobody joins it */
		return;
	}
	if (base)
		t->frames[base - 1] = (struct flow_frame){.flags = FLOW_INSIDE};
	if (!cf->sink->begin(cf->sink->ctx, t))
		cf->part->is_short = true;
}

void callparts_keep(struct callflow *cf, struct flow_task *t, const struct call_kind *kind,
		    const struct call_event *ev, uint32_t at, const struct record *rec)
{
	struct flow_part *p = cf->part;
	struct kept_event *e;

	/* functions are numbered in the order in which they appear, here and in the whole */
	if (!callflow_func(cf, ev->func, kind->is_user) ||
	    !ARRAY_ROOM(p->list, p->cap, p->n + 1, KEPT_MAX)) {
		p->is_short = true;
		return;
	}
	if (t->has_begun)
		callflow_lose_above(cf, t, t->base, rec);
	e = &p->list[p->n++];
	*e = (struct kept_event){.ev = *ev,
				 .task = rec->task,
				 .ts = rec->ts,
				 .at = at,
				 .epoch = cf->epochs[rec->source % EPOCHS],
				 .cpu = rec->cpu,
				 .source = rec->source,
				 .kind = (uint8_t)(kind - cf->kinds.rows),
				 .is_first = !t->has_begun};
	if (t->has_begun)
		e->before = end_segment(t);
	begin_segment(cf, t, at + (kind->step == CALL_ENTER), kind->is_user);
	e->aside = t->aside;
	t->last_ts = rec->ts;
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

struct flow_func *callflow_same(const struct callflow *part, const struct flow_func *fn)
{
	return part->part->same[fn->number];
}

/* The functions of the part appear in the whole, in the same order. */
static int join_funcs(struct callflow *cf, struct flow_part *p)
{
	if (!ARRAY_ROOM(p->same, p->cap_same, p->n_funcs, FUNCS_MAX))
		return -ENOMEM;
	for (; p->n_same < p->n_funcs; p->n_same++) {
		const struct flow_func *fn = p->funcs[p->n_same];

		p->same[p->n_same] = callflow_func(cf, fn->addr, fn->is_user);
		if (!p->same[p->n_same])
			return -ENOMEM;
	}
	return 0;
}

/* A record of a task of the part, as one of the whole. */
static struct record make_record(const struct task *task, uint32_t cpu, uint16_t source,
				 uint64_t ts, struct tasks *tasks)
{
	return (struct record){.ts = ts,
			       .cpu = cpu,
			       .source = source,
			       .task = task ? tasks_find(tasks, task->pid) : NULL};
}

/* Adds what a segment did to the calls of its base. */
static int join_segment(struct callflow *cf, struct flow_task *t, const struct flow_segment *s,
			const struct record *rec)
{
	struct flow_frame *top;

	/* a whole call of a program ends when the next call of its task comes */
	if (t->n == s->base + 1 && t->frames[s->base].end) {
		if (!s->n_events)
			return 0;
		callflow_lose_above(cf, t, s->base, rec);
	}
	if (t->n != s->base)
		return -EAGAIN;
	top = t->n ? &t->frames[t->n - 1] : NULL;
	if (top) {
		uint32_t known = top->flags & FLOW_SHOWN ? t->n : top->up;

		top->inner += s->inner;
		if (known)
			t->frames[known - 1].inner += s->inner_whole;
	}
	t->last_ts = s->last_ts;
	return cf->sink->join(cf->sink->ctx, t, s->aside);
}

static int join_kept(struct callflow *cf, const struct kept_event *e, const uint32_t *epochs,
		     struct tasks *tasks)
{
	struct record rec = make_record(e->task, e->cpu, e->source, e->ts, tasks);
	struct flow_task *t = callflow_take(cf, &rec);
	int r = !t ? -ENOMEM : e->is_first ? 0 : join_segment(cf, t, &e->before, &rec);

	if (r < 0)
		return r;
	if (cf->sink->seek)
		cf->sink->seek(cf->sink->ctx, e->aside);
	cf->epochs[e->source % EPOCHS] = epochs[e->source % EPOCHS] + e->epoch;
	callflow_replay(cf, t, &cf->kinds.rows[e->kind], &e->ev, e->at, &rec);
	return 0;
}

/* Adds a frame that the part left open. base: the frames below it, of the whole. */
static void carry(struct callflow *cf, const struct callflow *part, struct flow_task *t,
		  const struct flow_frame *from, uint32_t base, uint32_t epoch)
{
	const struct flow_frame *top = base ? &t->frames[base - 1] : NULL;
	struct flow_frame *f = &t->frames[t->n++];

	*f = *from;
	f->epoch += epoch;
	if (top) {
		f->level += top->level;
		if (!f->up)
			f->up = top->flags & FLOW_SHOWN ? base : top->up;
	}
	if (!f->func)
		return;
	f->func = callflow_same(part, f->func);
	if (f->flags & FLOW_OUTERMOST && !callflow_open(t, f->func))
		f->flags &= ~(uint32_t)FLOW_OUTERMOST;
	if (cf->sink->carry)
		cf->sink->carry(cf->sink->ctx, f);
}

/* Adds the last segment of a task, and the calls that it left open. */
static int join_task(struct callflow *cf, const struct callflow *part, const struct flow_task *from,
		     const uint32_t *epochs, struct tasks *tasks)
{
	struct record rec = make_record(from->task, from->last_cpu, (uint16_t)from->source,
					from->last_ts, tasks);
	struct flow_task *t = callflow_take(cf, &rec);
	struct flow_segment last = end_segment(from);
	uint32_t source = part->only_source;
	int r = t ? join_segment(cf, t, &last, &rec) : -ENOMEM;

	if (r < 0)
		return r;
	t->last_cpu = from->last_cpu;
	t->source = from->source;
	if (from->n == from->base)
		return 0;
	if (t->n != from->base || (from->n > t->cap && !callflow_grow(cf, t, from->n)))
		return -EAGAIN;
	for (uint32_t i = from->base; i < from->n; i++)
		carry(cf, part, t, &from->frames[i], from->base,
		      source ? epochs[(source - 1) % EPOCHS] : 0);
	t->n_user = from->n_user;
	return 0;
}

static bool has_losses(const uint32_t *epochs)
{
	return ARRAY_ANY(EPOCHS, i, epochs[i]);
}

static bool can_join(struct callflow *cf, const struct callflow *part)
{
	const struct flow_part *p = part->part;
	bool has_sources =
		part->only_source == SEVERAL_SOURCES ||
		(cf->only_source && part->only_source && cf->only_source != part->only_source);

	cf->seen |= part->seen;
	if (part->only_source)
		cf->only_source = part->only_source;
	if (p->is_short || part->counts.n_dropped || cf->seen == (SIDE_USER | SIDE_KERNEL) ||
	    (cf->seen & SIDE_KERNEL && cf->only_user_first))
		return false;
	if (has_sources)
		cf->only_source = SEVERAL_SOURCES;
	return !has_sources || (!has_losses(cf->epochs) && !has_losses(part->epochs));
}

static void join_counts(struct flow_counts *to, const struct flow_counts *from)
{
	to->n_events += from->n_events;
	to->n_unknown += from->n_unknown;
	to->n_lost += from->n_lost;
	to->n_cut += from->n_cut;
	to->n_open += from->n_open;
	to->n_gaps += from->n_gaps;
}

/* The part begins again. Its functions and tasks stay known. */
static void forget(struct callflow *part)
{
	struct flow_part *p = part->part;

	for (struct flow_task *t = part->list; t; t = t->next) {
		for (uint32_t i = t->base; i < t->n; i++)
			if (t->frames[i].flags & FLOW_OUTERMOST)
				callflow_close(t, t->frames[i].func);
		t->n = t->n_user = t->base = 0;
		t->has_begun = false;
		t->aside = NULL;
	}
	memset(part->epochs, 0, sizeof(part->epochs));
	part->counts = (struct flow_counts){0};
	part->last = NULL;
	p->n = 0;
	part->seen = part->only_source = 0;
}

int callflow_join(struct callflow *cf, struct callflow *part, struct tasks *tasks)
{
	struct flow_part *p = part->part;
	uint32_t epochs[EPOCHS];
	int r;

	if (!can_join(cf, part))
		return -EAGAIN;
	memcpy(epochs, cf->epochs, sizeof(epochs));
	r = join_funcs(cf, p);
	for (size_t i = 0; i < p->n && r >= 0; i++)
		r = join_kept(cf, &p->list[i], epochs, tasks);
	for (const struct flow_task *t = part->list; t && r >= 0; t = t->next)
		if (t->has_begun)
			r = join_task(cf, part, t, epochs, tasks);
	for (size_t i = 0; i < EPOCHS; i++)
		cf->epochs[i] = epochs[i] + part->epochs[i];
	join_counts(&cf->counts, &part->counts);
	if (r < 0 || cf->counts.n_dropped)
		return r < 0 ? r : -EAGAIN;
	forget(part);
	return 0;
}
