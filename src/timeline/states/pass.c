// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pass.c - merges turns (turns.h) and wakings of all CPUs of a machine in time order.
 *
 * The index has them by stream. The pass processes the trace in slices, so that memory does not
 * depend on its length: all streams fill their lists at once, each on a thread, and a heap of the
 * list heads returns them in order.
 *
 *	slice      |        |        |
 *	CPU 0 tn   ..::.:..                each list is already sorted
 *	CPU 0 wk   :  .: :
 *	CPU 1 tn   .:: .:.
 *
 * The size of a slice is not known in advance; slices cover about SLICE_EVENTS events of the trace,
 * which is more than enough for the turns among them. A trace whose events are concentrated in one
 * place needs more memory there, at most 40 bytes for each.
 */
#include "timeline/states/states_int.h"

#include "base/array.h"
#include <errno.h>
#include <stdlib.h>

#define SLICE_EVENTS (UINT64_C(1) << 20)
#define SLICES_MAX   1024

struct list {
	struct sched_entry *entries;
	size_t n, cap, pos;
	uint64_t idle_at; /* see struct sched_entry */
	uint16_t stream;
	bool is_waking, failed;
};

struct pass {
	struct timeline *tl;
	const uint8_t *tasks;
	struct list *lists;
	size_t n_lists;
	uint32_t machine;
	int idle;	   /* idle task of the CPU, or -1 */
	uint64_t from, to; /* range of the slice */
	uint32_t *heap;
	size_t n_heap;
};

static bool any_waking(void *ctx, const struct waking_entry *e)
{
	*(bool *)ctx = true;
	return false;
}

/* Adds the stream unless its CPU has one already. by_time: only if it has one for the same time. */
static void add_stream(const struct timeline *tl, uint16_t *list, size_t *n, uint16_t stream,
		       bool by_time)
{
	const struct timeline_stream *st = timeline_stream(tl, stream);

	for (size_t i = 0; i < *n; i++) {
		const struct timeline_stream *other = timeline_stream(tl, list[i]);

		if (other->cpu == st->cpu &&
		    (!by_time || (other->first <= st->last && st->first <= other->last)))
			return;
	}
	list[(*n)++] = stream;
}

int sched_streams_init(struct sched_streams *ss, struct timeline *tl, uint32_t machine)
{
	size_t n = timeline_n_streams(tl);

	*ss = (struct sched_streams){.machine = machine};
	ss->cpus = calloc(n + 1, sizeof(*ss->cpus));
	ss->wakings = calloc(n + 1, sizeof(*ss->wakings));
	if (!ss->cpus || !ss->wakings) {
		sched_streams_release(ss);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		const struct timeline_stream *st = timeline_stream(tl, i);
		bool has_waking = false;

		if (timeline_source(tl, st->source)->machine != machine)
			continue;
		timeline_wakings(tl, i, 0, TIMELINE_TIME_MAX, any_waking, &has_waking);
		if (stream_tells_turns(tl, i))
			add_stream(tl, ss->cpus, &ss->n_cpus, i, false);
		if (has_waking)
			add_stream(tl, ss->wakings, &ss->n_wakings, i, true);
	}
	return 0;
}

void sched_streams_release(struct sched_streams *ss)
{
	free(ss->cpus);
	free(ss->wakings);
	*ss = (struct sched_streams){0};
}

int sched_streams_find(const struct sched_streams *ss, const struct timeline *tl, uint32_t cpu)
{
	for (size_t i = 0; i < ss->n_cpus; i++)
		if (timeline_stream(tl, ss->cpus[i])->cpu == cpu)
			return ss->cpus[i];
	return -1;
}

static bool list_add(struct list *l, const struct sched_entry *e)
{
	if (!ARRAY_ROOM(l->entries, l->cap, l->n + 1, ARRAY_NO_MAX)) {
		l->failed = true;
		return false;
	}
	l->entries[l->n++] = *e;
	return true;
}

struct filling {
	const struct pass *p;
	struct list *l;
};

static bool take_turn(void *ctx, const struct cpu_turn *t)
{
	struct filling *f = ctx;
	const struct pass *p = f->p;

	bool is_gap = t->next == TIMELINE_NO_TASK || t->prev == TIMELINE_NO_TASK;

	if (t->ts < p->from)
		return true;
	if (t->next == p->idle || t->next == TIMELINE_NO_TASK)
		f->l->idle_at = t->ts;
	if (p->tasks && !is_gap && !bit_get(p->tasks, t->prev) && !bit_get(p->tasks, t->next))
		return true;
	return list_add(f->l, &(struct sched_entry){.ts = t->ts,
						    .since = t->since,
						    .idle_at = f->l->idle_at,
						    .stream = f->l->stream,
						    .a = t->prev,
						    .b = t->next,
						    .what = SCHED_TURN,
						    .detail = t->state,
						    .end = t->end});
}

static bool take_waking(void *ctx, const struct waking_entry *w)
{
	struct filling *f = ctx;
	const struct pass *p = f->p;

	if (w->ts < p->from)
		return true;
	if (w->ts > p->to)
		return false;
	if (p->tasks && !bit_get(p->tasks, w->task))
		return true;
	return list_add(f->l, &(struct sched_entry){.ts = w->ts,
						    .stream = f->l->stream,
						    .a = w->task,
						    .b = w->waker,
						    .what = SCHED_WAKING,
						    .detail = w->flags});
}

static void fill_list(void *ctx, size_t i)
{
	struct pass *p = ctx;
	struct list *l = &p->lists[i];
	struct filling f = {p, l};
	uint32_t cpu = timeline_stream(p->tl, l->stream)->cpu;

	l->n = l->pos = 0;
	if (l->is_waking)
		timeline_wakings(p->tl, l->stream, p->from, p->to, take_waking, &f);
	else if (cpu_turns(p->tl, p->machine, cpu, p->from, p->to, take_turn, &f) < 0)
		l->failed = true;
}

static bool comes_before(const struct pass *p, uint32_t x, uint32_t y)
{
	const struct sched_entry *a = &p->lists[x].entries[p->lists[x].pos];
	const struct sched_entry *b = &p->lists[y].entries[p->lists[y].pos];

	if (a->ts != b->ts)
		return a->ts < b->ts;
	return a->what != b->what ? a->what < b->what : a->stream < b->stream;
}

static void sift_down(struct pass *p, size_t i)
{
	uint32_t x = p->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= p->n_heap)
			break;
		if (child + 1 < p->n_heap && comes_before(p, p->heap[child + 1], p->heap[child]))
			child++;
		if (!comes_before(p, p->heap[child], x))
			break;
		p->heap[i] = p->heap[child];
		i = child;
	}
	p->heap[i] = x;
}

/* Passes the entries of the lists to each(). Returns false if each() has stopped. */
static bool drain(struct pass *p, bool (*each)(void *ctx, const struct sched_entry *e), void *ctx)
{
	p->n_heap = 0;
	for (size_t i = 0; i < p->n_lists; i++)
		if (p->lists[i].n)
			p->heap[p->n_heap++] = i;
	for (size_t i = p->n_heap / 2; i-- > 0;)
		sift_down(p, i);
	while (p->n_heap) {
		struct list *l = &p->lists[p->heap[0]];

		if (!each(ctx, &l->entries[l->pos++]))
			return false;
		if (l->pos == l->n)
			p->heap[0] = p->heap[--p->n_heap];
		if (p->n_heap)
			sift_down(p, 0);
	}
	return true;
}

static int pass_init(struct pass *p, struct timeline *tl, const struct sched_streams *ss,
		     const uint8_t *tasks)
{
	*p = (struct pass){.tl = tl,
			   .tasks = tasks,
			   .machine = ss->machine,
			   .idle = timeline_find_task(tl, ss->machine, 0),
			   .n_lists = ss->n_cpus + ss->n_wakings};
	p->lists = calloc(p->n_lists + 1, sizeof(*p->lists));
	p->heap = calloc(p->n_lists + 1, sizeof(*p->heap));
	if (!p->lists || !p->heap)
		return -ENOMEM;
	for (size_t i = 0; i < ss->n_cpus; i++)
		p->lists[i].stream = ss->cpus[i];
	for (size_t i = 0; i < ss->n_wakings; i++) {
		p->lists[ss->n_cpus + i].stream = ss->wakings[i];
		p->lists[ss->n_cpus + i].is_waking = true;
	}
	return 0;
}

static void pass_release(struct pass *p)
{
	for (size_t i = 0; p->lists && i < p->n_lists; i++)
		free(p->lists[i].entries);
	free(p->lists);
	free(p->heap);
}

static uint64_t slices_of(const struct timeline *tl, const uint8_t *tasks, uint64_t length)
{
	uint64_t n = timeline_n_events(tl) / SLICE_EVENTS + 1, whole = timeline_duration(tl) + 1;

	/* for a few tasks out of many, one slice is enough */
	if (tasks)
		return 1;
	n = n > SLICES_MAX ? SLICES_MAX : n;
	n = (uint64_t)((double)n * length / whole) + 1;
	return n > length ? 1 : n;
}

int sched_pass(struct timeline *tl, const struct sched_streams *ss, const uint8_t *tasks,
	       uint64_t from, uint64_t to, bool (*each)(void *ctx, const struct sched_entry *e),
	       void *ctx)
{
	uint64_t end = timeline_duration(tl), n_slices, step;
	struct pass p;
	bool failed = false, go_on = true;
	int r = pass_init(&p, tl, ss, tasks);

	to = to > end ? end : to;
	if (r < 0 || from > to) {
		pass_release(&p);
		return r;
	}
	n_slices = slices_of(tl, tasks, to - from + 1);
	step = (to - from) / n_slices + 1;
	for (uint64_t at = from; at <= to && go_on && !failed; at += step) {
		p.from = at;
		p.to = to - at < step ? to : at + step - 1;
		timeline_parallel(tl, p.n_lists, fill_list, &p);
		for (size_t i = 0; i < p.n_lists; i++)
			failed |= p.lists[i].failed;
		if (!failed)
			go_on = drain(&p, each, ctx);
	}
	pass_release(&p);
	return failed ? -ENOMEM : 0;
}
