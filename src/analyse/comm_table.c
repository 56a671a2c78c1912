// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * comm_table.c - libtraceevent's list of task names, without storing the list.
 *
 * In libtraceevent, names are rows (pid, name), the latest first. They are sorted by pid when first
 * needed, and searched with a binary search. If a task had several names, the one that the binary
 * search finds first is shown. A trace adds two rows with every switch, perhaps hundreds of
 * millions, nearly all the same as before. So rows are counted here:
 *
 *	pid 7: "ls" × 3, "bash" × 2        pid 9: "sleep" × 1    rows 0-2 3-4 5, searched as if they
 *	                                                         were all there
 */
#include "analyse/comm_table.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_MAX_BYTES (32u << 20)
#define TASKS_MAX      (1u << 20)

void comm_table_init(struct comm_table *t, const struct tasks *tasks)
{
	memset(t, 0, sizeof(*t));
	namepool_init(&t->names);
	arena_init(&t->arena, RUNS_MAX_BYTES);
	for (size_t i = 0; i < tasks->n_rows; i++) {
		/* after sorting, the latest row of a task comes first */
		const struct task_row *row =
			&tasks->rows[tasks->frozen ? tasks->n_rows - 1 - i : i];

		comm_table_add(t, row->pid, row->comm, row->len);
	}
}

void comm_table_release(struct comm_table *t)
{
	free(t->tasks);
	map_release(&t->by_pid);
	arena_release(&t->arena);
	namepool_release(&t->names);
}

void comm_table_add(struct comm_table *t, int pid, const char *comm, size_t len)
{
	const struct pooled_name *name = namepool_find(&t->names, comm, strnlen(comm, len));
	void **slot = name ? map_take(&t->by_pid, (uint32_t)pid, TASKS_MAX) : NULL;
	struct comm_task *task;

	if (!slot)
		return;
	if (!*slot)
		*slot = arena_alloc(&t->arena, sizeof(*task));
	task = *slot;
	if (!task)
		return;
	if (!task->newest || task->newest->name != name) {
		struct comm_run *run = arena_alloc(&t->arena, sizeof(*run));

		if (!run)
			return;
		*run = (struct comm_run){.older = task->newest, .name = name};
		task->pid = pid;
		task->newest = run;
	}
	task->newest->n++;
	task->n++;
	t->n_rows++;
}

static int pid_compare(const void *a, const void *b)
{
	const struct comm_task *x = *(struct comm_task *const *)a,
			       *y = *(struct comm_task *const *)b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void comm_table_finish(struct comm_table *t)
{
	uint64_t start = 0;

	t->tasks = calloc(t->by_pid.n + 1, sizeof(*t->tasks));
	if (!t->tasks)
		t->n_rows = 0; /* then no task has a name */
	for (size_t i = 0; t->tasks && i < t->by_pid.n_slots; i++)
		if (t->by_pid.slots[i].value)
			t->tasks[t->n_tasks++] = t->by_pid.slots[i].value;
	qsort(t->tasks, t->n_tasks, sizeof(*t->tasks), pid_compare);
	for (size_t i = 0; i < t->n_tasks; start += t->tasks[i++]->n)
		t->tasks[i]->start = start;
}

static const struct comm_task *task_of_row(const struct comm_table *t, uint64_t row)
{
	size_t n = ARRAY_BISECT(t->n_tasks, i, t->tasks[i]->start <= row);

	return t->tasks[n ? n - 1 : 0];
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
