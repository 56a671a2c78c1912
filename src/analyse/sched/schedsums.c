// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedsums.c - sums of turns.
 *
 *	turn ──▶ rows[task.index]: run, wait, sleep, preempted, moved
 *	     ──▶ cpus[cpu]: run or idle
 *	     ──▶ worst: a heap of the longest waits, the shortest of them on top
 *
 * Rows are kept by task. schedsums_finish() selects, merges tasks of one name, and sorts a copy.
 * The heap takes only waits of chosen tasks. It has room for WORST_SPARE times the requested
 * number, because a task may get another name later and no longer be chosen.
 */
#include "analyse/sched/schedsums.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "decode/taskstate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX	 65536
#define ROWS_MAX	 (1u << 20)
#define MEMORY_MAX_BYTES (512u << 20)
#define WORST_SPARE	 64
#define PLACES_MAX	 256 /* of a task or a name; programs sleep in few */

struct schedsums {
	struct schedsums_config config;
	struct arena arena;
	struct sched_sum *sums; /* by index of the task */
	size_t n_sums;
	struct sched_cpu_sum *cpus;
	size_t n_cpus;
	struct sched_turn *heap, *worst;
	size_t n_heap, cap_heap, max_heap, n_worst;
	struct sched_sum *rows;
	size_t n_rows;
	bool has_dropped;
};

/* --- adding ----------------------------------------------------------------------------------- */

void sched_spread_add(struct sched_spread *s, uint64_t v)
{
	double d = (double)v - s->mean;

	s->n++;
	s->total += v;
	s->min = s->n == 1 || v < s->min ? v : s->min;
	s->max = v > s->max ? v : s->max;
	s->mean += d / (double)s->n;
	s->squares += d * ((double)v - s->mean);
}

/* Adds the numbers of another spread (Chan's formula). */
static void spread_merge(struct sched_spread *to, const struct sched_spread *from)
{
	double n = (double)(to->n + from->n), d = from->mean - to->mean;

	if (!from->n)
		return;
	to->min = !to->n || from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->squares += from->squares + d * d * (double)to->n * (double)from->n / n;
	to->mean += d * (double)from->n / n;
	to->n += from->n;
	to->total += from->total;
}

double sched_spread_deviation(const struct sched_spread *s)
{
	return s->n > 1 ? sqrt(s->squares / (double)(s->n - 1)) : 0;
}

static struct sched_sum *sum_of(struct schedsums *s, const struct sched_task *t)
{
	struct sched_sum *sum;

	if (!ARRAY_ROOM(s->sums, s->n_sums, t->index + 1, ROWS_MAX)) {
		s->has_dropped = true;
		return NULL;
	}
	sum = &s->sums[t->index];
	sum->task = t;
	sum->n_tasks = 1;
	return sum;
}

static bool cpu_counts(const struct schedsums *s, uint32_t cpu)
{
	const struct schedsums_config *c = &s->config;

	return !c->cpus || (cpu / 8 < c->n_cpus && c->cpus[cpu / 8] >> cpu % 8 & 1);
}

static bool is_in_range(const struct schedsums *s, uint64_t ts)
{
	return ts >= s->config.from && (!s->config.to || ts <= s->config.to);
}

/* The part of [start, end] in the range. */
static uint64_t cut(const struct schedsums *s, uint64_t start, uint64_t end)
{
	uint64_t to = s->config.to ? s->config.to : UINT64_MAX;

	start = start > s->config.from ? start : s->config.from;
	end = end < to ? end : to;
	return end > start ? end - start : 0;
}

static void heap_down(struct sched_turn *heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++)
			if (heap[k].wait_ns < heap[least].wait_ns)
				least = k;
		if (least == i)
			return;
		struct sched_turn kept = heap[i];
		heap[i] = heap[least];
		heap[least] = kept;
		i = least;
	}
}

static void heap_add(struct schedsums *s, const struct sched_turn *t)
{
	size_t i;

	if (!s->max_heap || (s->config.match && !s->config.match(s->config.ctx, t->task)))
		return;
	if (s->n_heap == s->max_heap) {
		if (t->wait_ns <= s->heap[0].wait_ns)
			return;
		s->heap[0] = *t;
		heap_down(s->heap, s->n_heap, 0);
		return;
	}
	if (!ARRAY_ROOM(s->heap, s->cap_heap, s->n_heap + 1, s->max_heap)) {
		s->has_dropped = true;
		return;
	}
	for (i = s->n_heap++; i && s->heap[(i - 1) / 2].wait_ns > t->wait_ns; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = *t;
}

static void add_wait(struct schedsums *s, struct sched_sum *sum, const struct sched_turn *t)
{
	if (t->has_run) {
		if (!sum->wait.n || t->wait_ns > sum->wait.max) {
			sum->max_start = t->ready;
			sum->max_end = t->start;
		}
		sched_spread_add(&sum->wait, t->wait_ns);
		latency_spread_add(&sum->waits, &s->arena, t->wait_ns);
	} else {
		sum->still_waits = t->wait_ns;
	}
	heap_add(s, t);
}

/* Adds n times and ns to the place of that stack. Equal stacks are the same pointer. */
static void add_place(struct schedsums *s, struct sched_sum *sum, const struct sched_place *more)
{
	struct sched_place **at = &sum->places;
	size_t n = 0;

	for (; *at; at = &(*at)->next, n++)
		if ((*at)->state == more->state &&
		    ((*at)->stack == more->stack || (n >= PLACES_MAX && !(*at)->stack)))
			break;
	if (!*at) {
		*at = arena_alloc(&s->arena, sizeof(**at));
		if (!*at) {
			s->has_dropped = true;
			return;
		}
		**at = (struct sched_place){.stack = n < PLACES_MAX ? more->stack : NULL,
					    .state = more->state};
	}
	(*at)->n += more->n;
	(*at)->ns += more->ns;
}

static void add_off(struct schedsums *s, struct sched_sum *sum, const struct sched_turn *t)
{
	uint64_t slept = t->is_sleep_sure ? cut(s, t->off_start, t->off_start + t->sleep_ns) : 0;

	sum->ns[t->off_state] += slept;
	if (slept && t->off_stack && s->config.has_places)
		add_place(
			s, sum,
			&(struct sched_place){
				.stack = t->off_stack, .state = t->off_state, .n = 1, .ns = slept});
	if (!t->is_wait_sure)
		return;
	sum->ns[t->off_state == STATE_PREEMPTED ? STATE_PREEMPTED : STATE_RUNNABLE] +=
		cut(s, t->ready, t->start);
	if (is_in_range(s, t->start))
		add_wait(s, sum, t);
}

static void add_cpu(struct schedsums *s, const struct sched_turn *t, uint64_t ns)
{
	struct sched_cpu_sum *c;

	if (!ARRAY_ROOM(s->cpus, s->n_cpus, (size_t)t->cpu + 1, CPUS_MAX))
		return;
	c = &s->cpus[t->cpu];
	*(t->task->pid ? &c->run_ns : &c->idle_ns) += ns;
	c->n_switches += t->is_end_sure && is_in_range(s, t->end);
}

void schedsums_add(struct schedsums *s, const struct sched_turn *t)
{
	uint64_t ns = t->is_start_sure ? cut(s, t->start, t->end) : 0;
	struct sched_sum *sum;

	if (t->has_run && !cpu_counts(s, t->cpu))
		return;
	if (t->has_run)
		add_cpu(s, t, ns);
	if (!t->task->pid)
		return;
	sum = sum_of(s, t->task);
	if (!sum)
		return;
	add_off(s, sum, t);
	if (!t->has_run)
		return;
	if (t->is_start_sure && is_in_range(s, t->start)) {
		sum->n_turns++;
		sum->n_unsure += !t->is_wait_sure;
		sum->n_moved += t->is_moved;
	}
	if (t->is_start_sure && (ns || is_in_range(s, t->end)))
		sched_spread_add(&sum->run, ns);
	sum->n_preempted +=
		t->is_end_sure && t->out_state == STATE_PREEMPTED && is_in_range(s, t->end);
	sum->is_dead |= t->out_state == STATE_DEAD;
}

void schedsums_add_migration(struct schedsums *s, const struct sched_event *ev,
			     const struct sched_task *t)
{
	struct sched_sum *sum = t->pid && is_in_range(s, ev->ts) ? sum_of(s, t) : NULL;

	if (sum)
		sum->n_migrations++;
}

void schedsums_add_runtime(struct schedsums *s, const struct sched_event *ev,
			   const struct sched_task *t)
{
	struct sched_sum *sum = t->pid && is_in_range(s, ev->ts) ? sum_of(s, t) : NULL;

	if (sum)
		sum->stat_runtime += ev->value;
}

/* --- the rows --------------------------------------------------------------------------------- */

static bool matches(const struct schedsums_view *v, const struct sched_task *t)
{
	return v->match ? v->match(v->ctx, t) : !t->is_own;
}

static void merge(struct schedsums *s, struct sched_sum *to, const struct sched_sum *from)
{
	if (from->wait.n && (!to->wait.n || from->wait.max > to->wait.max)) {
		to->max_start = from->max_start;
		to->max_end = from->max_end;
	}
	spread_merge(&to->run, &from->run);
	spread_merge(&to->wait, &from->wait);
	latency_spread_merge(&to->waits, &s->arena, &from->waits);
	for (size_t i = 0; i < STATES_N; i++)
		to->ns[i] += from->ns[i];
	to->n_tasks += from->n_tasks;
	to->n_turns += from->n_turns;
	to->n_preempted += from->n_preempted;
	to->n_moved += from->n_moved;
	to->n_migrations += from->n_migrations;
	to->n_unsure += from->n_unsure;
	to->stat_runtime += from->stat_runtime;
	if (from->still_waits > to->still_waits)
		to->still_waits = from->still_waits;
	to->is_dead &= from->is_dead;
}

static int compare_places(const void *a, const void *b)
{
	const struct sched_place *const *x = a, *const *y = b;

	return COMPARE((*y)->ns, (*x)->ns) ?: COMPARE((*y)->n, (*x)->n);
}

/* Sorts the list, which has at most PLACES_MAX stacks, and a rest for each state. */
static void sort_places(struct sched_sum *sum)
{
	struct sched_place *list[PLACES_MAX + STATES_N], **at = &sum->places;
	size_t n = 0;

	for (struct sched_place *p = sum->places; p && n < ARRAY_LEN(list); p = p->next)
		list[n++] = p;
	if (n)
		qsort(list, n, sizeof(*list), compare_places);
	for (size_t i = 0; i < n; i++, at = &(*at)->next)
		*at = list[i];
	*at = NULL;
}

/* The row of the task's name, or NULL. map: 1 + index of the first row with that hash. */
static struct sched_sum *find_comm(struct schedsums *s, struct map *map, const char *comm)
{
	uint64_t hash = hash_of_text(1, comm, strlen(comm));
	void **slot;

	for (;; hash++) { /* an equal hash of another name: the next number */
		slot = map_take(map, hash, ARRAY_NO_MAX);
		if (!slot)
			return NULL;
		if (!*slot) {
			*slot = (void *)(uintptr_t)(s->n_rows + 1);
			return NULL;
		}
		if (!strcmp(s->rows[(uintptr_t)*slot - 1].task->comm, comm))
			return &s->rows[(uintptr_t)*slot - 1];
	}
}

static double average(const struct sched_sum *s)
{
	return s->wait.n ? (double)s->wait.total / (double)s->wait.n : 0;
}

static int compare_by(enum sched_order by, const struct sched_sum *x, const struct sched_sum *y)
{
	switch (by) {
	case SCHED_BY_RUNTIME:
		return COMPARE(y->run.total, x->run.total);
	case SCHED_BY_SWITCHES:
		return COMPARE(y->n_turns, x->n_turns);
	case SCHED_BY_AVERAGE:
		return COMPARE(average(y), average(x));
	case SCHED_BY_MAX:
		return COMPARE(y->wait.max, x->wait.max);
	case SCHED_BY_PID:
		return COMPARE(x->task->pid, y->task->pid);
	}
	return 0;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct schedsums_view *v = ctx;
	const struct sched_sum *x = a, *y = b;
	int r = 0;

	for (size_t i = 0; i < v->n_orders && !r; i++)
		r = compare_by(v->orders[i], x, y);
	return r ?: COMPARE(x->task->pid, y->task->pid) ?: COMPARE(x->task->index, y->task->index);
}

ARRAY_ORDER(by_wait, struct sched_turn,
	    COMPARE(y->wait_ns, x->wait_ns) ?: COMPARE(x->ready, y->ready))

static int finish_worst(struct schedsums *s, const struct schedsums_view *view)
{
	free(s->worst);
	s->n_worst = 0;
	s->worst = calloc(s->n_heap + 1, sizeof(*s->worst));
	if (!s->worst)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_heap; i++)
		if (matches(view, s->heap[i].task))
			s->worst[s->n_worst++] = s->heap[i];
	if (s->n_worst)
		qsort(s->worst, s->n_worst, sizeof(*s->worst), by_wait);
	if (s->n_worst > s->config.n_worst)
		s->n_worst = s->config.n_worst;
	return 0;
}

int schedsums_finish(struct schedsums *s, const struct schedsums_view *view)
{
	struct map comms = {0};

	free(s->rows);
	s->n_rows = 0;
	s->rows = calloc(s->n_sums + 1, sizeof(*s->rows));
	if (!s->rows)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_sums; i++) {
		const struct sched_sum *sum = &s->sums[i];
		struct sched_sum *row;

		if (!sum->task || !matches(view, sum->task))
			continue;
		row = view->by_comm ? find_comm(s, &comms, sum->task->comm) : NULL;
		if (row) {
			merge(s, row, sum);
		} else {
			row = &s->rows[s->n_rows++];
			*row = (struct sched_sum){.task = sum->task, .is_dead = true};
			merge(s, row, sum);
		}
		for (struct sched_place *p = sum->places; p; p = p->next)
			add_place(s, row, p);
	}
	for (size_t i = 0; i < s->n_rows; i++)
		sort_places(&s->rows[i]);
	map_release(&comms);
	if (s->n_rows)
		qsort_r(s->rows, s->n_rows, sizeof(*s->rows), compare_rows, (void *)view);
	return finish_worst(s, view);
}

/* --- life ------------------------------------------------------------------------------------- */

struct schedsums *schedsums_new(const struct schedsums_config *config)
{
	struct schedsums *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->config = *config;
	s->max_heap = config->n_worst * WORST_SPARE;
	arena_init(&s->arena, MEMORY_MAX_BYTES);
	return s;
}

void schedsums_free(struct schedsums *s)
{
	if (!s)
		return;
	free(s->sums);
	free(s->cpus);
	free(s->heap);
	free(s->worst);
	free(s->rows);
	arena_release(&s->arena);
	free(s);
}

const struct sched_sum *schedsums_rows(const struct schedsums *s, size_t *ret_n)
{
	*ret_n = s->n_rows;
	return s->rows;
}

const struct sched_cpu_sum *schedsums_cpus(const struct schedsums *s, size_t *ret_n)
{
	*ret_n = s->n_cpus;
	return s->cpus;
}

const struct sched_turn *schedsums_worst(const struct schedsums *s, size_t *ret_n)
{
	*ret_n = s->n_worst;
	return s->worst;
}

bool schedsums_has_dropped(const struct schedsums *s)
{
	return s->has_dropped;
}
