// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userattached.c - attaches to several processes in turn, and detaches from them.
 *
 * If attaching to one of them fails, sonde detaches from the others at once: a recording has all
 * the requested processes, or does not start. At the end, sonde reports a process from which it
 * cannot detach, and continues with the others.
 */
#include "capture/calls/userattached.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "capture/attach/attach.h"
#include "capture/calls/userserver.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESSES_MAX 256u

static bool has_pid(const struct userattached *a, pid_t pid)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].pid == pid)
			return true;
	return false;
}

static int add(struct userattached *a, const char *text, struct errmsg *err)
{
	char *end;
	long number = strtol(text, &end, 10);
	pid_t pid = (pid_t)number;
	int fd, r;

	if (end == text || *end || number <= 0 || number > INT32_MAX)
		return errmsg_set(err, -EINVAL, "-P takes process ids, not '%s'", text);
	r = a->is_watch ? attach_find_process(&pid, err) : attach_check(&pid, err);
	if (r < 0 || has_pid(a, pid))
		return r;
	if (!ARRAY_ROOM(a->list, a->cap, a->n + 1, PROCESSES_MAX))
		return errmsg_set(err, -E2BIG, "-P takes at most %u processes", PROCESSES_MAX);
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot watch process %d", (int)pid);
	a->list[a->n++] = (struct userattached_one){.pid = pid, .pid_fd = fd};
	return 0;
}

int userattached_open(struct userattached *a, char *const *pids, size_t n, bool is_watch,
		      struct errmsg *err)
{
	int r = 0;

	*a = (struct userattached){.is_watch = is_watch};
	for (size_t i = 0; i < n && r >= 0; i++)
		r = add(a, pids[i], err);
	if (r < 0)
		userattached_release(a);
	a->sum.n_processes = a->n;
	return r;
}

static int adopt(void *ctx, int fd)
{
	return userserver_adopt(ctx, fd);
}

int userattached_begin(struct userattached *a, struct userserver *server, struct errmsg *err)
{
	struct attach_config config = {server->name, adopt, server};
	int r = 0;

	for (size_t i = 0; i < a->n && r >= 0 && !a->is_watch; i++) {
		struct attach_result result = {0};

		r = attach_begin(a->list[i].pid, &config, &result, err);
		a->list[i].is_hooked = r >= 0;
		a->sum.n_failures += result.n_failures;
		if (result.stopped_ns > a->sum.attach_ns)
			a->sum.attach_ns = result.stopped_ns;
	}
	if (r < 0)
		userattached_end(a);
	return r;
}

static void end_one(struct userattached *a, pid_t pid)
{
	struct attach_result result = {0};
	struct errmsg err = {0};

	if (attach_end(pid, &result, &err) < 0)
		snprintf(a->sum.why, sizeof(a->sum.why), "%.200s", err.text);
	if (result.stopped_ns > a->sum.detach_ns)
		a->sum.detach_ns = result.stopped_ns;
	a->sum.n_kept += result.is_kept;
}

void userattached_end(struct userattached *a)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->list[i].is_hooked)
			end_one(a, a->list[i].pid);
		a->list[i].is_hooked = false;
	}
}

void userattached_end_child(struct userattached *a, pid_t pid)
{
	if (a->n && !a->is_watch && !has_pid(a, pid))
		end_one(a, pid);
}

bool userattached_have_ended(const struct userattached *a)
{
	for (size_t i = 0; i < a->n; i++) {
		struct pollfd fd = {a->list[i].pid_fd, POLLIN, 0};

		if (poll(&fd, 1, 0) != 1)
			return false;
	}
	return a->n;
}

void userattached_release(struct userattached *a)
{
	for (size_t i = 0; i < a->n; i++)
		close(a->list[i].pid_fd);
	free(a->list);
	a->list = NULL;
	a->n = a->cap = 0;
}
