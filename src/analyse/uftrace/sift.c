// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sift.c - drops calls that are too short (-t), too small (-Z) or do not lead to a function (-C).
 *
 * A call can only be judged when it returns. Until then it waits, with what happened inside of it:
 *
 *	call a, call b, return b (too short: both go) …, return a (long enough): all that waits
 *	passes
 *
 * Rules:
 *
 *  1. A bar says how long a call must be, and how large its function. It is that of the options; a
 *     function with time= or size= has its own, which holds for the calls inside of it, too.
 *  2. A call of a function that is too small, or of unknown size, does not come in; what it calls
 *     may. Nor does the return from one that is too small.
 *  3. A return is measured from the last call that waits. If that is too short, or if there is a -C
 *     and its function is not named, both go, and all between them; unless its function has
 *     `trace`.
 *  4. A return that passes lets all pass that waits: the calls around it, too. So do a return
 *     without a call, a loss, and an event of the program. Other events wait with the calls around
 *     them.
 *  5. The end of the records lets all pass.
 *  6. Records out of range (-r) do not come in at all.
 *  7. With -t a task switch must be as long as a call. Switches have no call to wait for: they are
 *     read at once before all else, and the range does not apply.
 *  8. Records of the kernel wait by CPU, by the same rules; another task lets all pass. The end of
 *     the records does so only if the last one is of a task that is shown.
 *
 * Without options a task never has more waiting than the records up to its next return.
 */
#include "analyse/uftrace/walk_int.h"

#include "analyse/uftrace/kernel.h"
#include "base/array.h"
#include "format/uftrace.h"
#include "symbols/uftrace/module.h"

#include <errno.h>
#include <string.h>

#define QUEUE_MAX (256u << 20)
#define BARS_MAX  65536

static int queue_add(struct uft_queue *q, const struct uft_item *item)
{
	if (q->head && q->head == q->n)
		q->head = q->n = 0;
	if (!ARRAY_ROOM(q->items, q->cap, q->n + 1, QUEUE_MAX))
		return -ENOMEM;
	q->items[q->n++] = *item;
	return 0;
}

void uft_queue_take_first(struct uft_queue *q)
{
	if (q->head < q->n)
		q->head++;
}

bool uft_walk_in_range(const struct uft_walk *w, uint64_t time_ns)
{
	uint64_t start = w->c.range_start_ns, stop = w->c.range_stop_ns;

	if (start && time_ns < start + (w->c.range_start_elapsed ? w->first_ns : 0))
		return false;
	if (stop && time_ns > stop + (w->c.range_stop_elapsed ? w->first_ns : 0))
		return false;
	return true;
}

/* Rule 1: what the call of a record must reach. */
static struct uft_bar bar_of(const struct uft_lane *l, const struct uft_record *rec,
			     const struct uft_trigger *tr)
{
	const struct uft_walk_config *c = &l->walk->c;
	struct uft_bar bar = {.min_ns = c->time_filter_ns, .min_size = c->size_filter};

	if (l->n_bars)
		bar = l->bars[l->n_bars - 1];
	bar.depth = rec->depth;
	if (tr && tr->actions & UFT_DO_TIME)
		bar.min_ns = tr->time_ns;
	if (tr && tr->actions & UFT_DO_SIZE)
		bar.min_size = tr->size;
	return bar;
}

/* A call comes in. */
static void sift_call(struct uft_lane *l, struct uft_queue *q, const struct uft_item *item,
		      const struct uft_trigger *tr)
{
	struct uft_bar bar = bar_of(l, &item->rec, tr);
	const struct uft_sym *s = NULL;

	if (bar.min_size)
		s = uft_walk_sym(l->walk, l, item->rec.time_ns, item->rec.addr);
	if ((!bar.min_size || (s && s->size >= bar.min_size)) && queue_add(q, item) < 0)
		return;
	if (tr && tr->actions & (UFT_DO_TIME | UFT_DO_SIZE) &&
	    ARRAY_ROOM(l->bars, l->cap_bars, l->n_bars + 1, BARS_MAX))
		l->bars[l->n_bars++] = bar;
}

/* The last call that waits; NULL: none. */
static struct uft_item *last_call(const struct uft_queue *q)
{
	for (size_t i = q->n; i > q->head; i--)
		if (q->items[i - 1].rec.type == UFT_ENTRY)
			return &q->items[i - 1];
	return NULL;
}

/* Rule 3: may a call go on that ends now? */
static bool reaches(const struct uft_lane *l, const struct uft_record *call,
		    const struct uft_record *end, const struct uft_bar *bar, unsigned actions)
{
	if (actions & UFT_DO_KEEP)
		return true;
	if (l->walk->c.triggers->has_callers && !(actions & UFT_DO_CALLER))
		return false;
	return end->time_ns - call->time_ns >= bar->min_ns;
}

/* A return comes in. Returns true if all that waits passes. */
static bool sift_return(struct uft_lane *l, struct uft_queue *q, const struct uft_item *item,
			const struct uft_trigger *tr)
{
	struct uft_bar bar = bar_of(l, &item->rec, tr);
	struct uft_item *call;

	if (l->n_bars && l->bars[l->n_bars - 1].depth == item->rec.depth)
		l->n_bars--;
	if (bar.min_size) {
		const struct uft_sym *s =
			uft_walk_sym(l->walk, l, item->rec.time_ns, item->rec.addr);

		if (s && s->size < bar.min_size)
			return false;
	}
	call = last_call(q);
	if (call && !reaches(l, &call->rec, &item->rec, &bar, tr ? tr->actions : 0)) {
		q->n = (size_t)(call - q->items);
		return false;
	}
	queue_add(q, item);
	return true;
}

/* A record comes in. Returns true if all that waits passes. */
static bool sift(struct uft_lane *l, struct uft_queue *q, const struct uft_item *item)
{
	const struct uft_record *rec = &item->rec;

	switch (rec->type) {
	case UFT_ENTRY:
		sift_call(l, q, item, uft_walk_trigger(l->walk, l, rec, NULL));
		return false;
	case UFT_EXIT:
		return sift_return(l, q, item, uft_walk_trigger(l->walk, l, rec, NULL));
	case UFT_LOST:
	case UFT_EVENT:
		break;
	}
	queue_add(q, item);
	return rec->type == UFT_LOST || rec->addr >= UFT_EVENT_USER;
}

struct uft_item *uft_lane_first(struct uft_lane *l)
{
	struct uft_queue *q = &l->waiting;

	/* what was let pass is used up before more comes in */
	if (q->head == q->n) {
		struct uft_item item;
		bool passes = false;

		while (!passes && uft_lane_read(l, &item))
			passes = uft_walk_in_range(l->walk, item.rec.time_ns) && sift(l, q, &item);
	}
	return q->head < q->n ? &q->items[q->head] : NULL;
}

/* The task of a kernel's record; NULL: it is not walked. */
static struct uft_lane *lane_of_kernel(const struct uft_walk *w, const struct uft_kernel_record *r)
{
	struct uft_lane *l = uft_walk_lane(w, r->tid);

	if (!l)
		l = uft_walk_lane(w, r->next_tid);
	return l && l->calls && l->data && uft_walk_in_range(w, r->rec.time_ns) ? l : NULL;
}

struct uft_item *uft_kernel_first(struct uft_walk *w, size_t cpu)
{
	struct uft_queue *q = &w->kernel_waiting[cpu];
	const struct uft_lane *before = NULL, *last = NULL;
	struct uft_kernel_record r;
	bool passes = q->head < q->n;

	while (!passes && uft_kernel_read(w->c.kernel, cpu, &r)) {
		struct uft_lane *l = lane_of_kernel(w, &r);
		struct uft_item item = {.rec = r.rec, .lane = l};

		last = l;
		if (!l)
			continue;
		item.values = (struct uft_values){.data = r.data, .n_bytes = r.n_bytes};
		passes = sift(l, q, &item) || (before && before != l && q->head < q->n);
		before = l;
	}
	if (!passes && !last) /* rule 8 */
		q->n = q->head;
	return q->head < q->n ? &q->items[q->head] : NULL;
}

/* Rule 7: the task runs again. Does it, after too short a time? Then the switch goes. */
static bool ends_short_switch(struct uft_queue *q, const struct uft_record *in, uint64_t min_ns)
{
	const struct uft_record *out = q->n > q->head ? &q->items[q->n - 1].rec : NULL;

	if (!out || in->addr != UFT_EVENT_SCHED_IN || !uft_is_sched(out->addr) ||
	    out->addr == UFT_EVENT_SCHED_IN || in->time_ns - out->time_ns >= min_ns)
		return false;
	q->n--;
	return true;
}

/* The earliest event of all CPUs; NULL: there are no more. */
static struct uft_perf *first_of_cpus(struct uft_walk *w)
{
	struct uft_perf *first = NULL;

	for (size_t i = 0; i < w->c.n_perfs; i++) {
		struct uft_perf *p = &w->c.perfs[i];

		if (uft_perf_read(p, w->c.swaps) && (!first || p->rec.time_ns < first->rec.time_ns))
			first = p;
	}
	return first;
}

void uft_walk_sort_switches(struct uft_walk *w)
{
	struct uft_perf *p;

	if (w->has_switches)
		return;
	w->has_switches = true;
	for (size_t i = 0; i < w->c.n_perfs; i++)
		w->c.perfs[i].is_valid = false;
	for (; (p = first_of_cpus(w)); p->is_valid = false) {
		struct uft_lane *l = uft_walk_lane(w, p->tid);

		if (!l || !l->calls ||
		    ends_short_switch(&l->switches, &p->rec, w->c.time_filter_ns))
			continue;
		if (p->rec.addr == UFT_EVENT_TASK_NAME)
			memcpy(l->comm, p->comm, sizeof(l->comm));
		queue_add(&l->switches, &(struct uft_item){.rec = p->rec});
	}
}
