/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tasks.h - resolves thread ids to names.
 *
 * The table is filled from saved_cmdlines and then, while a trace is read in order, from events
 * that name tasks. A `struct task` never changes after it was returned: learning a name makes a new
 * one, so that earlier records keep the name that was known at the time. tasks_find() and
 * tasks_learn() belong to one thread; any thread may read a struct task.
 */
#ifndef SONDE_SYMBOLS_TASKS_H
#define SONDE_SYMBOLS_TASKS_H

#include "base/arena.h"
#include "base/map.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct task {
	int pid;
	int tgid;     /* id of the task's process; -1: unknown */
	bool is_self; /* the task belongs to sonde itself */
	bool known;   /* the name comes from the trace, not "<...>" */
	bool learned; /* the name comes from an event */
	uint16_t comm_len, head_len, short_head_len;
	const char *comm;	/* NUL-terminated */
	const char *head;	/* "            bash-136  ": the name in 16 columns, the pid in 5 */
	const char *short_head; /* "    bash-136  ": the name in exactly 8 columns */
};

struct task_row { /* a line of saved_cmdlines; rows are sorted by pid */
	int pid;
	uint32_t order;
	const char *comm;
	uint32_t len;
};

struct processes;

struct tasks {
	const struct processes *processes; /* NULL: unknown */
	struct arena arena;
	bool frozen;	   /* a name was looked up; see tasks.c */
	struct map by_pid; /* struct task */
	const struct task *last;
	struct task_row *rows;
	size_t n_rows, cap_rows;
	uint64_t n_learned; /* how often events named a task that had no name, or another */
};

/*
 * Initialises the table from the text of saved_cmdlines, which the caller keeps valid. Returns 0 or
 * -ENOMEM.
 */
int tasks_init(struct tasks *t, struct piece cmdlines);
void tasks_release(struct tasks *t);
/* Sets the processes of tasks that are not looked up yet. They must stay valid. */
void tasks_set_processes(struct tasks *t, const struct processes *processes);

/*
 * Finds or adds a task. Returns NULL only if memory ran out (limit: 262 144 tasks). pid 0 is
 * "<idle>".
 */
const struct task *tasks_find_slow(struct tasks *t, int pid);

static inline const struct task *tasks_find(struct tasks *t, int pid)
{
	if (t->last && t->last->pid == pid)
		return t->last;
	return tasks_find_slow(t, pid);
}

/* Returns true if the name is the same for all records of the trace. */
static inline bool tasks_is_from_file(const struct task *task)
{
	return task->known && !task->learned;
}

/* Sets the process of pid. */
void tasks_learn_tgid(struct tasks *t, int pid, int tgid);

/* Sets the name of pid if it has none yet (but see tasks.c): len bytes of comm, up to a NUL. */
void tasks_learn(struct tasks *t, int pid, const char *comm, size_t len);
/*
 * Sets the name of pid even if it has one: tasks change their names when they start another
 * program.
 */
void tasks_rename(struct tasks *t, int pid, const char *comm, size_t len);

#endif
