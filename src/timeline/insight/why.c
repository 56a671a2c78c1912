// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * why.c - finds the critical path of a task: what it did and, while it slept, what the task that
 * woke it did.
 *
 *	bash      running │ sleeping ───────────────── │ runnable │ running
 *	                                   woken by ─┐
 *	kworker      … │ sleeping ──── │ running ────┘
 *	                     woken by ─┐
 *	an interrupt                   ┘
 *	path      bash    │ an interrupt │ kworker     │ bash     │ bash
 *
 * If a task ended the sleep, the sleep is replaced by what that task did in the same window, and so
 * on. Windows only get shorter; in addition, the depth and the number of pieces are limited. A
 * sleep that was ended by an interrupt, or by an unknown waker, stays a piece of the sleeper.
 * Pieces have no gaps and do not overlap.
 *
 * A piece in which the task waits for a CPU contains the tasks that occupied this CPU, and their
 * times. If a task of a guest runs while the host does not run the virtual CPU (stolen.h), the
 * piece contains the tasks that occupied the host's CPU.
 */
#include "base/array.h"
#include "base/scope.h"
#include "decode/taskstate.h"
#include "timeline/insight/insight_int.h"
#include "timeline/insight/sleepplace.h"
#include "timeline/insight/userplace.h"
#include "timeline/states/interrupts.h"
#include "timeline/states/owners.h"
#include "timeline/states/stolen.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX      32
#define PIECES_MAX     20000
#define SPANS_MAX      (4u << 20)
/* Maximum of events in a range that is loaded at once; they produce about SPANS_MAX spans. */
#define EVENTS_AT_ONCE (12u << 20)
#define LOOKS_MAX      100000 /* limit of look-ups of the tasks on a host CPU; about a second */
#define INTERRUPTS_MAX 5000   /* limit of identified interrupts; the others are "an interrupt" */
#define PLACES_MAX     20000  /* limit of sleeps whose stacks are searched */

struct finding {
	struct lanes *ls;
	struct timeline *tl;
	uint64_t from, to;
	struct state_list *lists; /* states by task */
	size_t *caps;
	bool has_all, failed;
	bool has_more; /* see struct insight_why */
	size_t n_spans;
	struct sched_streams streams;
	struct stolen stolen;
	size_t n_looks;
	struct interrupts *interrupts; /* NULL: not needed yet */
	struct sleep_places places;
	size_t n_places;
	struct user_places functions;
	size_t n_functions;
	size_t n_interrupts;
	struct why_piece *pieces;
	size_t n, cap;
	/* times by task over all pieces: see struct insight_why */
	uint64_t *had, *stolen_by;
};

/* --- states of tasks -------------------------------------------------------------------------- */

static void keep_span(void *ctx, uint16_t task, const struct task_track *t,
		      const struct state_span *s, enum task_state next)
{
	struct finding *y = ctx;
	struct state_list *l = &y->lists[task];

	if (y->n_spans >= SPANS_MAX) {
		y->has_all = false;
		return;
	}
	if (!ARRAY_ROOM(l->spans, y->caps[task], l->n + 1, SPANS_MAX)) {
		y->failed = true;
		return;
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

/*
 * Loads all tasks of the range in one pass; if they are too many, each task is loaded when needed.
 */
static int load(struct finding *y, uint32_t machine)
{
	int r;

	y->lists = calloc(UINT16_MAX + 1, sizeof(*y->lists));
	y->caps = calloc(UINT16_MAX + 1, sizeof(*y->caps));
	if (!y->lists || !y->caps)
		return -ENOMEM;
	TRY(sched_streams_init(&y->streams, y->tl, machine));
	if (y->to <= y->from)
		return 0;
	/* do not start a pass over a range that is too long for it */
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

/* Returns the first span that ends after t. */
static size_t find_span(const struct state_list *l, uint64_t t)
{
	return ARRAY_BISECT(l->n, i, l->spans[i].end <= t);
}

/* --- pieces ----------------------------------------------------------------------------------- */

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
	if (!ARRAY_ROOM(y->pieces, y->cap, y->n + 1, ARRAY_NO_MAX)) {
		y->failed = true;
		return;
	}
	y->pieces[y->n++] = *p;
}

static bool is_sleep(enum task_state s)
{
	return s >= STATE_SLEEPING && s <= STATE_IDLE;
}

static void follow(struct finding *y, int task, uint64_t from, uint64_t to, unsigned depth,
		   int sleeper);

/* Adds a span of the task, cut to [start, end]. next is the following span, or NULL. */
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
	/* the task waits for the CPU on which it runs next */
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

/* --- what is known of a piece ----------------------------------------------------------------- */

/* Finds the tasks that occupied the CPU while p waited for it. */
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
			/* there may be very many: the owners of the later ones are unknown */
			int cpu = y->n_looks++ < LOOKS_MAX ? t->cpu : -1;

			if (owners_look(o, y->tl, v->host, cpu, start, end) < 0)
				y->failed = true;
		} else if (t->state != STATE_UNKNOWN) {
			p->theft.asleep += end - start;
		}
	}
}

/*
 * Finds the interrupt that ended a sleep. If it is not found, the piece only notes that an
 * interrupt did.
 */
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

/* Finds the kernel function in which the task sleeps. */
static void find_place(struct finding *y, struct why_piece *p)
{
	int stream = p->cpu < 0 ? -1 : sched_streams_find(&y->streams, y->tl, p->cpu);

	if (stream >= 0 && y->n_places++ < PLACES_MAX)
		p->place = sleep_places_find(&y->places, stream, p->task, p->since);
}

/* Finds the function of the program that waits. */
static void find_function(struct finding *y, struct why_piece *p)
{
	if (p->task >= 0 && y->n_functions++ < PLACES_MAX)
		p->function = user_places_find(&y->functions, (uint16_t)p->task, p->since);
}

/* Keeps the tasks with the longest times. The sums include all. */
static void keep_owners(struct finding *y, struct why_piece *p, struct owners *o, uint64_t *sums)
{
	owners_sort(o, y->tl);
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
		find_function(y, p);
	} else if (p->state == STATE_RUNNABLE || p->state == STATE_PREEMPTED) {
		find_owners(y, p, &o);
		keep_owners(y, p, &o, y->had);
		find_function(y, p);
	} else if (p->state == STATE_RUNNING) {
		find_theft(y, p, &o);
		keep_owners(y, p, &o, y->stolen_by);
	}
}

/* --- sums ------------------------------------------------------------------------------------- */

static int list_owners(struct timeline *tl, const uint64_t *sums, struct owner **ret, size_t *ret_n)
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
	qsort_r(*ret, n, sizeof(**ret), owner_compare, tl);
	return 0;
}

ARRAY_ORDER(compare_keys, struct why_sum, COMPARE(x->task, y->task) ?: COMPARE(x->state, y->state))

static int compare_sums(const void *a, const void *b, void *tl)
{
	const struct why_sum *x = a, *y = b;
	struct owner x_owner = {x->task, x->ns}, y_owner = {y->task, y->ns};
	int order = owner_compare(&x_owner, &y_owner, tl);

	return order ? order : compare_keys(a, b);
}

static int sum_up(struct timeline *tl, struct insight_why *ret)
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
	qsort_r(sums, n, sizeof(*sums), compare_sums, tl);
	ret->sums = sums;
	ret->n_sums = n;
	return 0;
}

static int find_path(struct finding *y, int task)
{
	TRY(load(y, timeline_task(y->tl, task)->machine));
	TRY(stolen_init(&y->stolen, y->ls, y->from, y->to));
	TRY(sleep_places_init(&y->places, y->ls));
	user_places_init(&y->functions, y->ls);
	if (y->to > y->from)
		follow(y, task, y->from, y->to, 0, -1);
	for (size_t i = 0; !y->failed && i < y->n; i++)
		complete_piece(y, &y->pieces[i]);
	return y->failed ? -ENOMEM : 0;
}

/* Moves the pieces to the answer. */
static int take_path(struct finding *y, struct insight_why *ret)
{
	ret->pieces = TAKE(y->pieces);
	ret->n_pieces = y->n;
	ret->has_more = y->has_more;
	ret->is_guest = stolen_is_guest(&y->stolen, y->streams.machine);
	TRY(list_owners(y->tl, y->had, &ret->had, &ret->n_had));
	TRY(list_owners(y->tl, y->stolen_by, &ret->stolen_by, &ret->n_stolen_by));
	return sum_up(y->tl, ret);
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
	SCOPED(finding_release) struct finding y = {.ls = ls, .tl = ls->tl, .from = from};
	SCOPED(insight_why_release) struct insight_why why = {.task = task, .from = from};

	if (task < 0 || (size_t)task >= timeline_n_tasks(ls->tl))
		return -EINVAL;
	why.to = y.to = earlier(to, timeline_duration(ls->tl));
	y.had = calloc(UINT16_MAX + 1, sizeof(*y.had));
	y.stolen_by = calloc(UINT16_MAX + 1, sizeof(*y.stolen_by));
	TRY(y.had && y.stolen_by ? find_path(&y, task) : -ENOMEM);
	TRY(take_path(&y, &why));
	*ret = TAKE_STRUCT(why);
	return 0;
}

void insight_why_release(struct insight_why *y)
{
	free(y->pieces);
	free(y->sums);
	free(y->had);
	free(y->stolen_by);
	*y = (struct insight_why){0};
}
