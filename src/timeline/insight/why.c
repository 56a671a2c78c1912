// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * why.c - the critical path of a task: what it did, and while it slept, what the one did that woke it.
 *
 *	bash      running │ sleeping ───────────────── │ runnable │ running
 *	                                   woken by ─┐
 *	kworker      … │ sleeping ──── │ running ────┘
 *	                     woken by ─┐
 *	an interrupt                   ┘
 *	path      bash    │ an interrupt │ kworker     │ bash     │ bash
 *
 * A sleep that was ended by a task is replaced by what that task did in the same window, and so on; windows only get
 * shorter, and a depth and a number of pieces are the ceiling besides. What was ended by an interrupt, or
 * by nobody that is known, stays the sleeper's. Pieces have no gaps, and none overlap.
 *
 * A wait for a CPU has those who had that CPU meanwhile, and for how long: mostly it is not one alone. A guest's task that
 * runs while its host does not run the virtual CPU (stolen.h) has those who had the host's CPU instead.
 */
#include "timeline/insight/insight_int.h"
#include "timeline/insight/sleepplace.h"
#include "timeline/states/interrupts.h"
#include "timeline/states/owners.h"
#include "timeline/states/stolen.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX      32
#define PIECES_MAX     20000
#define SPANS_MAX      (4u << 20)
/* Of the trace, in the range: about so many have SPANS_MAX spans. */
#define EVENTS_AT_ONCE (12u << 20)
#define LOOKS_MAX      100000 /* at who had a CPU of the host; about a second */
#define INTERRUPTS_MAX 5000   /* that are looked for; the rest is "an interrupt" */
#define PLACES_MAX     20000  /* sleeps whose stacks are looked for */

struct finding {
	struct lanes *ls;
	struct timeline *tl;
	uint64_t from, to;
	struct state_list *lists; /* by task */
	size_t *caps;
	bool has_all, failed;
	bool has_more; /* see struct insight_why */
	size_t n_spans;
	struct sched_streams streams;
	struct stolen stolen;
	size_t n_looks;
	struct interrupts *interrupts; /* NULL: not needed so far */
	struct sleep_places places;
	size_t n_places;
	size_t n_interrupts;
	struct why_piece *pieces;
	size_t n, cap;
	/* by task, of all pieces: see struct insight_why */
	uint64_t *had, *stolen_by;
};

/* --- states of tasks ---------------------------------------------------------------------------------------- */

static void keep_span(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *s, enum task_state next)
{
	struct finding *y = ctx;
	struct state_list *l = &y->lists[task];

	if (y->n_spans >= SPANS_MAX) {
		y->has_all = false;
		return;
	}
	if (l->n == y->caps[task]) {
		size_t cap = l->n ? l->n * 2 : 8;
		struct state_span *more = realloc(l->spans, cap * sizeof(*more));

		if (!more) {
			y->failed = true;
			return;
		}
		l->spans = more;
		y->caps[task] = cap;
	}
	l->spans[l->n++] = *s;
	y->n_spans++;
}

static void drop_lists(struct finding *y)
{
	for (size_t i = 0; y->lists && y->caps && i <= UINT16_MAX; i++) {
		free(y->lists[i].spans);
		y->lists[i] = (struct state_list){0};
		y->caps[i] = 0;
	}
	y->n_spans = 0;
}

/* All tasks of the range in one pass; if that is too much, each when it is needed. */
static int load(struct finding *y, uint32_t machine)
{
	int r;

	y->lists = calloc(UINT16_MAX + 1, sizeof(*y->lists));
	y->caps = calloc(UINT16_MAX + 1, sizeof(*y->caps));
	if (!y->lists || !y->caps)
		return -ENOMEM;
	r = sched_streams_init(&y->streams, y->tl, machine);
	if (r < 0)
		return r;
	if (y->to <= y->from)
		return 0;
	/* a range that is too long for that would be gone through for nothing */
	y->has_all = (double)timeline_n_events(y->tl) * (y->to - y->from) <
		     (double)EVENTS_AT_ONCE * (timeline_duration(y->tl) + 1);
	if (!y->has_all)
		return 0;
	r = states_pass(y->tl, y->ls->states, machine, NULL, y->from, y->to + (y->to - y->from),
			keep_span, y);
	if (!y->has_all)
		drop_lists(y);
	return r < 0 ? r : y->failed ? -ENOMEM : 0;
}

static const struct state_list *states_of(struct finding *y, uint16_t task)
{
	struct state_list *l = &y->lists[task];

	if (!y->has_all && !l->spans && task_states(y->tl, task, &l->spans, &l->n) < 0)
		y->failed = true;
	return l;
}

/* The first span that ends after t. */
static size_t find_span(const struct state_list *l, uint64_t t)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->spans[mid].end > t)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* --- pieces --------------------------------------------------------------------------------------------------- */

static void add_piece(struct finding *y, const struct why_piece *p)
{
	struct why_piece *last = y->n ? &y->pieces[y->n - 1] : NULL;

	if (p->end <= p->start)
		return;
	if (last && last->end == p->start && last->task == p->task && last->state == p->state &&
	    last->depth == p->depth && last->cpu == p->cpu && last->waker == p->waker) {
		last->end = p->end;
		return;
	}
	if (y->n == y->cap) {
		size_t cap = y->cap ? y->cap * 2 : 128;
		struct why_piece *more = realloc(y->pieces, cap * sizeof(*more));

		if (!more) {
			y->failed = true;
			return;
		}
		y->pieces = more;
		y->cap = cap;
	}
	y->pieces[y->n++] = *p;
}

static bool is_sleep(enum task_state s)
{
	return s >= STATE_SLEEPING && s <= STATE_IDLE;
}

static void follow(struct finding *y, int task, uint64_t from, uint64_t to, unsigned depth,
		   int sleeper);

/* A span of the task, cut to [start, end]. next: the one after it, or NULL. */
static void add_state(struct finding *y, int task, const struct state_span *s,
		      const struct state_span *next, uint64_t start, uint64_t end, unsigned depth,
		      int sleeper)
{
	struct why_piece p = {.start = start,
			      .end = end,
			      .since = s->start,
			      .task = task,
			      .waker = -1,
			      .cpu = s->cpu,
			      .state = s->state,
			      .depth = depth,
			      .sleeper = sleeper};

	if (s->state == STATE_RUNNABLE)
		p.waker = s->waker;
	/* it waits for the CPU where it runs then */
	if ((s->state == STATE_RUNNABLE || s->state == STATE_PREEMPTED) && next &&
	    next->state == STATE_RUNNING)
		p.cpu = next->cpu;
	p.is_taken = s->state == STATE_PREEMPTED && p.cpu == s->cpu && start == s->start;
	if (is_sleep(s->state) && next && next->state == STATE_RUNNABLE) {
		p.waker = next->waker;
		p.waker_in_irq = next->waker_in_irq;
		p.woken = next->start;
		if (p.waker >= 0 && !p.waker_in_irq && p.waker != task &&
		    timeline_task(y->tl, p.waker)->pid && depth < DEPTH_MAX) {
			if (y->n < PIECES_MAX) {
				follow(y, p.waker, start, end, depth + 1, task);
				return;
			}
			y->has_more = true;
		}
	}
	add_piece(y, &p);
}

static void follow(struct finding *y, int task, uint64_t from, uint64_t to, unsigned depth,
		   int sleeper)
{
	const struct state_list *l = states_of(y, task);
	struct why_piece gap = {.task = task,
				.waker = -1,
				.cpu = -1,
				.state = STATE_UNKNOWN,
				.depth = depth,
				.sleeper = sleeper};
	uint64_t at = from;

	for (size_t i = find_span(l, from); i < l->n && at < to && !y->failed; i++) {
		const struct state_span *s = &l->spans[i];
		uint64_t start = later(s->start, at), end = earlier(s->end, to);

		if (s->start >= to)
			break;
		if (start > at) {
			gap.start = at;
			gap.end = start;
			add_piece(y, &gap);
		}
		add_state(y, task, s, i + 1 < l->n ? s + 1 : NULL, start, end, depth, sleeper);
		at = later(at, end);
	}
	gap.start = at;
	gap.end = to;
	add_piece(y, &gap);
}

/* --- what is known of a piece --------------------------------------------------------------------------------------- */

/* Who had the CPU while p waits for it. */
static void find_owners(struct finding *y, const struct why_piece *p, struct owners *o)
{
	if (p->cpu < 0 || sched_streams_find(&y->streams, y->tl, p->cpu) < 0)
		return;
	if (owners_look(o, y->tl, y->streams.machine, p->cpu, p->start, p->end) < 0)
		y->failed = true;
}

static void find_theft(struct finding *y, struct why_piece *p, struct owners *o)
{
	const struct stolen_vcpu *v = stolen_find(&y->stolen, y->streams.machine, p->cpu);

	p->theft.is_known = v != NULL;
	if (!v)
		return;
	stolen_add(v, p->start, p->end, &p->theft.sum);
	for (size_t i = stolen_first(v, p->start); i < v->n && v->times[i].start < p->end; i++) {
		const struct stolen_time *t = &v->times[i];
		uint64_t start = later(t->start, p->start), end = earlier(t->end, p->end);

		if (t->state == STATE_RUNNABLE || t->state == STATE_PREEMPTED) {
			/* there may be very many: the owners of the last ones are unknown */
			int cpu = y->n_looks++ < LOOKS_MAX ? t->cpu : -1;

			if (owners_look(o, y->tl, v->host, cpu, start, end) < 0)
				y->failed = true;
		} else if (t->state != STATE_UNKNOWN) {
			p->theft.asleep += end - start;
		}
	}
}

/* The interrupt that ends a sleep. Without one nothing more is known than that it was one. */
static void find_interrupt(struct finding *y, struct why_piece *p)
{
	if (!p->waker_in_irq || y->n_interrupts++ >= INTERRUPTS_MAX)
		return;
	if (!y->interrupts && interrupts_new(&y->interrupts, y->ls, y->streams.machine) < 0) {
		y->failed = true;
		return;
	}
	p->has_irq = interrupts_find_waking(y->interrupts, p->task, p->woken, &p->irq);
}

/* The function that a sleep is in. */
static void find_place(struct finding *y, struct why_piece *p)
{
	int stream = p->cpu < 0 ? -1 : sched_streams_find(&y->streams, y->tl, p->cpu);

	if (stream >= 0 && y->n_places++ < PLACES_MAX)
		p->place = sleep_places_find(&y->places, stream, p->task, p->since);
}

/* The longest are kept; all count in the sums. */
static void keep_owners(struct why_piece *p, struct owners *o, uint64_t *sums)
{
	owners_sort(o);
	p->owners.first = o->first;
	p->owners.n = o->n;
	for (unsigned i = 0; i < o->n; i++) {
		if (o->list[i].task >= 0)
			sums[o->list[i].task] += o->list[i].ns;
		if (i < WHY_OWNERS)
			p->owners.list[i] = o->list[i];
	}
}

static void complete_piece(struct finding *y, struct why_piece *p)
{
	struct owners o = {0};

	if (is_sleep(p->state)) {
		find_interrupt(y, p);
		find_place(y, p);
	} else if (p->state == STATE_RUNNABLE || p->state == STATE_PREEMPTED) {
		find_owners(y, p, &o);
		keep_owners(p, &o, y->had);
	} else if (p->state == STATE_RUNNING) {
		find_theft(y, p, &o);
		keep_owners(p, &o, y->stolen_by);
	}
}

/* --- sums ------------------------------------------------------------------------------------------------------- */

static int list_owners(const uint64_t *sums, struct owner **ret, size_t *ret_n)
{
	size_t n = 0;
	struct owner *list;

	for (int i = 0; i <= UINT16_MAX; i++)
		n += sums[i] > 0;
	list = calloc(n + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	*ret = list;
	*ret_n = n;
	for (int i = 0; i <= UINT16_MAX; i++)
		if (sums[i])
			*list++ = (struct owner){i, sums[i]};
	qsort(*ret, n, sizeof(**ret), owner_compare);
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const struct why_sum *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->state > y->state) - (x->state < y->state);
}

static int compare_sums(const void *a, const void *b)
{
	const struct why_sum *x = a, *y = b;

	return x->ns != y->ns ? (x->ns > y->ns ? -1 : 1) : compare_keys(a, b);
}

static int sum_up(struct insight_why *ret)
{
	struct why_sum *sums = calloc(ret->n_pieces + 1, sizeof(*sums));
	size_t n = 0;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < ret->n_pieces; i++) {
		const struct why_piece *p = &ret->pieces[i];

		sums[i] = (struct why_sum){p->end - p->start, p->task, p->state};
	}
	qsort(sums, ret->n_pieces, sizeof(*sums), compare_keys);
	for (size_t i = 0; i < ret->n_pieces; i++) {
		if (n && !compare_keys(&sums[n - 1], &sums[i]))
			sums[n - 1].ns += sums[i].ns;
		else
			sums[n++] = sums[i];
	}
	qsort(sums, n, sizeof(*sums), compare_sums);
	ret->sums = sums;
	ret->n_sums = n;
	return 0;
}

static int find_path(struct finding *y, int task)
{
	int r = load(y, timeline_task(y->tl, task)->machine);

	if (!r)
		r = stolen_init(&y->stolen, y->ls, y->from, y->to);
	if (!r)
		r = sleep_places_init(&y->places, y->ls);
	if (!r && y->to > y->from)
		follow(y, task, y->from, y->to, 0, -1);
	for (size_t i = 0; !r && !y->failed && i < y->n; i++)
		complete_piece(y, &y->pieces[i]);
	return r < 0 ? r : y->failed ? -ENOMEM : 0;
}

/* The pieces become those of the answer. */
static int take_path(struct finding *y, struct insight_why *ret)
{
	int r;

	ret->pieces = y->pieces;
	ret->n_pieces = y->n;
	ret->has_more = y->has_more;
	y->pieces = NULL;
	ret->is_guest = stolen_is_guest(&y->stolen, y->streams.machine);
	r = list_owners(y->had, &ret->had, &ret->n_had);
	if (!r)
		r = list_owners(y->stolen_by, &ret->stolen_by, &ret->n_stolen_by);
	return r < 0 ? r : sum_up(ret);
}

static void finding_release(struct finding *y)
{
	drop_lists(y);
	stolen_release(&y->stolen);
	interrupts_free(y->interrupts);
	sleep_places_release(&y->places);
	sched_streams_release(&y->streams);
	free(y->lists);
	free(y->caps);
	free(y->pieces);
	free(y->had);
	free(y->stolen_by);
}

int insight_why(struct insight_why *ret, struct lanes *ls, int task, uint64_t from, uint64_t to)
{
	struct finding y = {.ls = ls, .tl = ls->tl, .from = from};
	struct insight_why why = {.task = task, .from = from};
	int r;

	if (task < 0 || (size_t)task >= timeline_n_tasks(ls->tl))
		return -EINVAL;
	why.to = y.to = earlier(to, timeline_duration(ls->tl));
	y.had = calloc(UINT16_MAX + 1, sizeof(*y.had));
	y.stolen_by = calloc(UINT16_MAX + 1, sizeof(*y.stolen_by));
	r = y.had && y.stolen_by ? find_path(&y, task) : -ENOMEM;
	if (!r)
		r = take_path(&y, &why);
	finding_release(&y);
	if (r < 0)
		insight_why_release(&why);
	else
		*ret = why;
	return r;
}

void insight_why_release(struct insight_why *y)
{
	free(y->pieces);
	free(y->sums);
	free(y->had);
	free(y->stolen_by);
	*y = (struct insight_why){0};
}
