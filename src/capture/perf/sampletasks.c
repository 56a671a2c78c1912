// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sampletasks.c - a table of threads, by tid.
 *
 * The kernel reports a name when it changes (COMM) and the parent of each new thread (FORK).
 * Threads that ran before have a name in /proc. A command line is read from /proc when the process
 * has called exec, so one that ends within a millisecond may have none.
 */
#include "capture/perf/sampletasks.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "symbols/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_MAX  262144u
#define NAME_BYTES 16

struct sampletask {
	int tid, tgid;
	char name[NAME_BYTES];
};

struct sampletasks {
	pthread_mutex_t lock;
	struct map by_tid;
	struct processes *commands;
};

struct sampletasks *sampletasks_new(void)
{
	struct sampletasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	pthread_mutex_init(&t->lock, NULL);
	t->commands = processes_new();
	if (t->commands)
		return t;
	free(t);
	return NULL;
}

void sampletasks_free(struct sampletasks *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->by_tid.n_slots; i++)
		free(t->by_tid.slots[i].value);
	map_release(&t->by_tid);
	processes_free(t->commands);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

static struct sampletask *take(struct sampletasks *t, int tgid, int tid)
{
	void **slot = map_take(&t->by_tid, (uint64_t)tid, TASKS_MAX);
	struct sampletask *task;

	if (!slot)
		return NULL;
	if (!*slot)
		*slot = calloc(1, sizeof(struct sampletask));
	task = *slot;
	if (!task)
		return NULL;
	task->tid = tid;
	if (task->tgid != tgid) {
		task->tgid = tgid;
		processes_add_thread(t->commands, tid, tgid);
	}
	return task;
}

/* Reads a small file of /proc. Returns the number of bytes. */
static size_t read_proc(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size);

	if (fd >= 0)
		close(fd);
	return n < 0 ? 0 : (size_t)n;
}

static void read_name(struct sampletask *task)
{
	char path[64], name[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", task->tgid, task->tid);
	n = read_proc(path, name, sizeof(name) - 1);
	if (n && name[n - 1] == '\n')
		n--;
	name[n] = '\0';
	snprintf(task->name, sizeof(task->name), "%.*s", NAME_BYTES - 1, name);
}

static void read_command(struct sampletasks *t, int tgid)
{
	char path[64], words[PROCESSES_COMMAND_MAX + 1];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", tgid);
	n = read_proc(path, words, sizeof(words));
	if (n)
		processes_add_command(t->commands, tgid, words,
				      n < PROCESSES_COMMAND_MAX ? n : PROCESSES_COMMAND_MAX,
				      n > PROCESSES_COMMAND_MAX);
}

void sampletasks_read_proc(struct sampletasks *t, int tgid)
{
	char path[64];
	SCOPED(closedir_scoped) DIR *dir = NULL;
	struct dirent *e;

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	dir = opendir(path);
	LOCKED(&t->lock);
	while (dir && (e = readdir(dir))) {
		int tid = atoi(e->d_name);
		struct sampletask *task = tid > 0 ? take(t, tgid, tid) : NULL;

		if (task)
			read_name(task);
	}
	read_command(t, tgid);
}

void sampletasks_see(struct sampletasks *t, int tgid, int tid)
{
	const struct sampletask *known = map_find(&t->by_tid, (uint64_t)tid);
	struct sampletask *task;

	if (known && known->tgid == tgid)
		return;
	LOCKED(&t->lock);
	task = tid > 0 ? take(t, tgid, tid) : NULL;
	if (task && !*task->name)
		read_name(task);
}

void sampletasks_name(struct sampletasks *t, int tgid, int tid, const char *name, bool is_exec)
{
	struct sampletask *task;

	LOCKED(&t->lock);
	task = take(t, tgid, tid);
	if (task)
		snprintf(task->name, sizeof(task->name), "%.*s", NAME_BYTES - 1, name);
	if (is_exec)
		read_command(t, tgid);
}

void sampletasks_fork(struct sampletasks *t, int tgid, int tid, int parent_tid)
{
	const struct sampletask *parent;
	struct sampletask *task;

	LOCKED(&t->lock);
	task = take(t, tgid, tid);
	parent = map_find(&t->by_tid, (uint64_t)parent_tid);
	if (task && parent)
		memcpy(task->name, parent->name, sizeof(task->name));
}

static int compare(const void *pa, const void *pb)
{
	const struct sampletask *const *a = pa, *const *b = pb;

	return ((*a)->tid > (*b)->tid) - ((*a)->tid < (*b)->tid);
}

void sampletasks_fmt(struct sampletasks *t, struct textbuf *tb)
{
	SCOPED(scope_free) const struct sampletask **list = NULL;
	size_t n = 0;

	LOCKED(&t->lock);
	list = calloc(t->by_tid.n + 1, sizeof(*list));
	for (size_t i = 0; list && i < t->by_tid.n_slots; i++)
		if (t->by_tid.slots[i].value)
			list[n++] = t->by_tid.slots[i].value;
	if (n)
		qsort(list, n, sizeof(*list), compare);
	for (size_t i = 0; i < n; i++)
		if (*list[i]->name)
			textbuf_addf(tb, "%d %s\n", list[i]->tid, list[i]->name);
}

static int add_thread(const struct sampletask *task, struct processes *p)
{
	return processes_add_thread(p, task->tid, task->tgid);
}

void sampletasks_add_processes(struct sampletasks *t, struct processes *p)
{
	TEXTBUF(text, PROCESSES_MAX_BYTES);

	LOCKED(&t->lock);
	for (size_t i = 0; i < t->by_tid.n_slots; i++)
		if (t->by_tid.slots[i].value)
			add_thread(t->by_tid.slots[i].value, p);
	processes_fmt(t->commands, &text);
	processes_parse(p, PIECE_OF_TEXT(&text));
}
