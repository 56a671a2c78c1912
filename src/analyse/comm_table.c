// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_table.c - libtraceevent's list of task names, without storing the list.
 *
 * There, names are rows (pid, name), the latest first, sorted by pid when first needed, and
 * searched by bisection; if a task had several names, the row that the bisection happens to find is
 * shown. A trace adds two rows with every switch, perhaps hundreds of millions, nearly all the same
 * as before. So rows are counted here:
 *
 *	pid 7: "ls" × 3, "bash" × 2        pid 9: "sleep" × 1    rows 0-2 3-4 5, bisected as if they
 *	                                                         were all there
 */
#include "analyse/comm_table.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX_BYTES (32u << 20)
#define TASKS_MAX      (1u << 20)

static struct comm_task *slot_of(struct comm_task *tasks, size_t n, uint64_t seed, int pid)
{
	size_t i = hash_number(seed, (uint32_t)pid, n);

	for (;; i++) {
		struct comm_task *t = &tasks[i & (n - 1)];

		if (!t->n || t->pid == pid)
			return t;
	}
}

static int grow(struct comm_table *t)
{
	size_t n = t->n_slots ? t->n_slots * 2 : 256;
	struct comm_task *tasks = n > TASKS_MAX * 2 ? NULL : calloc(n, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->tasks[i].n)
			*slot_of(tasks, n, t->seed, t->tasks[i].pid) = t->tasks[i];
	free(t->tasks);
	t->tasks = tasks;
	t->n_slots = n;
	return 0;
}

int comm_table_init(struct comm_table *t, const struct tasks *tasks)
{
	memset(t, 0, sizeof(*t));
	namepool_init(&t->names);
	t->seed = hash_seed();
	arena_init(&t->arena, RUNS_MAX_BYTES);
	if (grow(t) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < tasks->n_rows; i++) {
		/* after sorting, the latest one of a task comes first */
		const struct task_row *row =
			&tasks->rows[tasks->frozen ? tasks->n_rows - 1 - i : i];

		comm_table_add(t, row->pid, row->comm, row->len);
	}
	return 0;
}

void comm_table_release(struct comm_table *t)
{
	free(t->tasks);
	arena_release(&t->arena);
	namepool_release(&t->names);
}

void comm_table_add(struct comm_table *t, int pid, const char *comm, size_t len)
{
	const struct pooled_name *name = namepool_find(&t->names, comm, strnlen(comm, len));
	struct comm_task *task;

	if (!name || (t->n_used * 2 >= t->n_slots && grow(t) < 0))
		return;
	task = slot_of(t->tasks, t->n_slots, t->seed, pid);
	if (!task->newest || task->newest->name != name) {
		struct comm_run *run = arena_alloc(&t->arena, sizeof(*run));

		if (!run)
			return;
		*run = (struct comm_run){.older = task->newest, .name = name};
		t->n_used += !task->n;
		task->pid = pid;
		task->newest = run;
	}
	task->newest->n++;
	task->n++;
	t->n_rows++;
}

static int pid_compare(const void *a, const void *b)
{
	const struct comm_task *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void comm_table_finish(struct comm_table *t)
{
	uint64_t start = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->n_slots; i++)
		if (t->tasks[i].n)
			t->tasks[n++] = t->tasks[i];
	qsort(t->tasks, n, sizeof(*t->tasks), pid_compare);
	for (size_t i = 0; i < n; start += t->tasks[i++].n)
		t->tasks[i].start = start;
}

/* The task of a row. */
static const struct comm_task *task_of_row(const struct comm_table *t, uint64_t row)
{
	size_t low = 0, high = t->n_used;

	while (low + 1 < high) {
		size_t mid = (low + high) / 2;

		*(row < t->tasks[mid].start ? &high : &low) = mid;
	}
	return &t->tasks[low];
}

const char *comm_table_find(const struct comm_table *t, int pid)
{
	uint64_t low = 0, high = t->n_rows;

	if (!pid)
		return "<idle>";
	while (low < high) {
		uint64_t mid = (low + high) / 2;
		const struct comm_task *task = task_of_row(t, mid);

		if (task->pid == pid) {
			const struct comm_run *run = task->newest;

			for (mid -= task->start; mid >= run->n; run = run->older)
				mid -= run->n;
			return run->name->text;
		}
		if (pid < task->pid)
			high = mid;
		else
			low = mid + 1;
	}
	return "<...>";
}
