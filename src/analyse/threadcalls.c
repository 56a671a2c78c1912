// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * threadcalls.c - the system calls of each thread: how often, how long, how evenly, which errors.
 *
 * A thread makes calls of few kinds, about thirty, so its rows are searched one by one; the last
 * one that was used comes first. The deviation is summed with Welford's method: the sum of the
 * squares themselves would lose the digits of short durations.
 */
#include "analyse/threadcalls.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX (1u << 18)
#define ROWS_MAX    2048
#define ARENA_BYTES (128u << 20)

struct threadcalls {
	struct map threads;
	const struct threadcalls_thread **sorted;
	struct arena arena; /* threads, and the errors of rows */
	uint64_t n_dropped;
};

struct threadcalls *threadcalls_new(void)
{
	struct threadcalls *t = calloc(1, sizeof(*t));

	if (t)
		arena_init(&t->arena, ARENA_BYTES);
	return t;
}

void threadcalls_free(struct threadcalls *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->threads.n_slots; i++)
		if (t->threads.slots[i].value)
			free(((struct threadcalls_thread *)t->threads.slots[i].value)->rows);
	map_release(&t->threads);
	arena_release(&t->arena);
	free(t->sorted);
	free(t);
}

static struct threadcalls_thread *thread_of(struct threadcalls *t, int pid)
{
	void **place = map_take(&t->threads, (uint32_t)pid, THREADS_MAX);
	struct threadcalls_thread *thread;

	if (!place || *place)
		return place ? *place : NULL;
	thread = arena_alloc(&t->arena, sizeof(*thread));
	if (!thread)
		return NULL;
	*thread = (struct threadcalls_thread){.pid = pid};
	*place = thread;
	return thread;
}

static struct threadcalls_row *row_of(struct threadcalls_thread *thread, uint32_t machine,
				      uint32_t nr)
{
	struct threadcalls_row *rows = thread->rows;
	size_t i = 0;

	while (i < thread->n_rows && (rows[i].nr != nr || rows[i].machine != machine))
		i++;
	if (i < thread->n_rows)
		return &rows[i];
	if (!ARRAY_ROOM(thread->rows, thread->cap_rows, thread->n_rows + 1, ROWS_MAX))
		return NULL;
	thread->rows[i] = (struct threadcalls_row){.machine = machine, .nr = nr, .min = UINT64_MAX};
	thread->n_rows++;
	return &thread->rows[i];
}

static void count_error(struct threadcalls *t, struct threadcalls_row *row, unsigned e)
{
	row->n_errors++;
	if (!row->errors) {
		row->errors = arena_alloc(&t->arena, THREADCALLS_ERRORS * sizeof(*row->errors));
		if (!row->errors)
			return;
		memset(row->errors, 0, THREADCALLS_ERRORS * sizeof(*row->errors));
	}
	if (e < THREADCALLS_ERRORS)
		row->errors[e]++;
}

void threadcalls_add(struct threadcalls *t, int pid, const char *comm, uint32_t machine,
		     uint32_t nr, uint64_t ns, unsigned e)
{
	struct threadcalls_thread *thread = thread_of(t, pid);
	struct threadcalls_row *row = thread ? row_of(thread, machine, nr) : NULL;
	double before;

	if (!row) {
		t->n_dropped++;
		return;
	}
	snprintf(thread->comm, sizeof(thread->comm), "%s", comm);
	thread->n++;
	before = row->n ? (double)ns - (double)row->total / (double)row->n : 0;
	row->n++;
	row->total += ns;
	row->squares += before * ((double)ns - (double)row->total / (double)row->n);
	row->min = ns < row->min ? ns : row->min;
	row->max = ns > row->max ? ns : row->max;
	if (e)
		count_error(t, row, e);
}

uint64_t threadcalls_n_dropped(const struct threadcalls *t)
{
	return t->n_dropped;
}

static int compare_threads(const void *a, const void *b)
{
	const struct threadcalls_thread *x = *(const struct threadcalls_thread *const *)a;
	const struct threadcalls_thread *y = *(const struct threadcalls_thread *const *)b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int compare_rows(const void *a, const void *b)
{
	const struct threadcalls_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

const struct threadcalls_thread *const *threadcalls_threads(struct threadcalls *t, size_t *ret_n)
{
	size_t n = 0;

	free(t->sorted);
	t->sorted = t->threads.n ? calloc(t->threads.n, sizeof(struct threadcalls_thread *)) : NULL;
	for (size_t i = 0; t->sorted && i < t->threads.n_slots; i++) {
		struct threadcalls_thread *thread = t->threads.slots[i].value;

		if (!thread)
			continue;
		qsort(thread->rows, thread->n_rows, sizeof(*thread->rows), compare_rows);
		t->sorted[n++] = thread;
	}
	if (n)
		qsort(t->sorted, n, sizeof(struct threadcalls_thread *), compare_threads);
	*ret_n = n;
	return t->sorted;
}

double threadcalls_deviation(const struct threadcalls_row *row)
{
	double n = (double)row->n, average = n > 0 ? (double)row->total / n : 0;

	return n > 1 && average > 0 ? 100 * sqrt(row->squares / (n - 1) / n) / average : 0;
}
