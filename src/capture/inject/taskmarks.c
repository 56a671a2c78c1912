// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taskmarks.c - sets, finds and clears /proc/PID/task/TID/make-it-fail.
 *
 *	/proc/PID/make-it-fail               the first thread only
 *	/proc/PID/task/TID/make-it-fail      each thread
 *
 * The file shows 0 or 1. A new thread or child process inherits the mark of its parent, and keeps
 * it when the parent is unmarked or has ended. So clearing checks every task of the machine, and
 * repeats while it finds marks: a marked task may have forked in between. A marked task that
 * started before the injection, and does not belong to its process, was marked by another program
 * and keeps its mark.
 *
 * The start time of a task is field 22 of /proc/PID/task/TID/stat, in ticks of 10 ms. It comes
 * after a name that may contain any character, so fields are counted from the last ')'.
 */
#include "capture/inject/taskmarks.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES	64
/* limit of scans of all tasks; two are enough unless tasks fork all the time */
#define TRIES		20
#define FIELDS_TO_START 20 /* number of spaces between the ')' and the start time */

bool taskmarks_are_there(void)
{
	return !access("/proc/self/make-it-fail", F_OK);
}

uint64_t taskmarks_now(void)
{
	struct timespec ts;
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * hz + ts.tv_nsec / (1000000000 / hz);
}

static int write_mark(int pid, const char *tid, const char *mark)
{
	char path[PATH_BYTES];
	int fd, r;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/make-it-fail", pid, tid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r = write(fd, mark, 1) == 1 ? 0 : -errno;
	close(fd);
	return r;
}

static bool is_marked(int pid, const char *tid)
{
	char path[PATH_BYTES], text = '0';
	SCOPED(scope_close) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/make-it-fail", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, &text, 1) != 1)
		text = '0';
	return text != '0';
}

/* Returns the start time of a task, or 0 if the task has ended. */
static uint64_t start_of(int pid, const char *tid)
{
	char path[PATH_BYTES], text[2048] = "", *p;
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[n] = 0;
	p = strrchr(text, ')');
	for (int i = 0; p && i < FIELDS_TO_START; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

/* Calls visit for each thread of the process until it returns true. */
static bool visit_threads(int pid, bool (*visit)(void *ctx, int pid, const char *tid), void *ctx)
{
	char path[PATH_BYTES];
	struct dirent *e;
	bool stopped = false;
	SCOPED(closedir_scoped) DIR *dir = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !stopped && (e = readdir(dir)))
		stopped = isdigit((unsigned char)e->d_name[0]) && visit(ctx, pid, e->d_name);
	return stopped;
}

static bool visit_tasks(bool (*visit)(void *ctx, int pid, const char *tid), void *ctx)
{
	SCOPED(closedir_scoped) DIR *dir = opendir("/proc");
	struct dirent *e;
	bool stopped = false;

	while (dir && !stopped && (e = readdir(dir)))
		stopped = isdigit((unsigned char)e->d_name[0]) &&
			  visit_threads(atoi(e->d_name), visit, ctx);
	return stopped;
}

/*
 * --- setting -----------------------------------------------------------------------------------
 */

struct marking {
	int n_threads, n_new, code;
};

static bool mark(void *ctx, int pid, const char *tid)
{
	struct marking *m = ctx;
	bool was_marked = is_marked(pid, tid);
	int r = was_marked ? 0 : write_mark(pid, tid, "1");

	if (r == -ENOENT || r == -ESRCH)
		return false; /* the thread has just exited */
	m->n_threads += r >= 0;
	m->n_new += r >= 0 && !was_marked;
	m->code = r;
	return r < 0;
}

int taskmarks_set(int pid, struct errmsg *err)
{
	struct marking m = {0};

	/* an unmarked thread may have started another one in between */
	for (int i = 0; i < TRIES && (!i || m.n_new) && m.code >= 0; i++) {
		m.n_threads = m.n_new = 0;
		visit_threads(pid, mark, &m);
	}
	if (m.code < 0)
		return errmsg_set_errno(err, m.code,
					"cannot mark process %d to fail (/proc/%d/make-it-fail)",
					pid, pid);
	return m.n_threads ? 0 : errmsg_set(err, -ESRCH, "there is no process %d", pid);
}

/*
 * --- finding and clearing ----------------------------------------------------------------------
 */

static bool stop_at_marked(void *ctx, int pid, const char *tid)
{
	if (!is_marked(pid, tid))
		return false;
	*(int *)ctx = pid;
	return true;
}

bool taskmarks_find(int *ret_pid)
{
	return visit_tasks(stop_at_marked, ret_pid);
}

struct clearing {
	int pid;
	uint64_t since;
	int n, code;
};

static bool clear(void *ctx, int pid, const char *tid)
{
	struct clearing *c = ctx;
	int r;

	if (!is_marked(pid, tid) || (pid != c->pid && start_of(pid, tid) < c->since))
		return false;
	r = write_mark(pid, tid, "0");
	if (r >= 0)
		c->n++;
	else if (r != -ENOENT && r != -ESRCH)
		c->code = r;
	return false;
}

int taskmarks_clear(int pid, uint64_t since)
{
	struct clearing c = {.pid = pid, .since = since};

	for (int i = 0; i < TRIES; i++) {
		c.n = c.code = 0;
		visit_tasks(clear, &c);
		if (!c.n)
			break;
	}
	return c.n && !c.code ? -EAGAIN : c.code;
}
