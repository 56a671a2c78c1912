// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - looks up the name of a task: in /proc, then in the kernel's tracer.
 *
 *	/proc/PID/comm      running tasks, and zombies
 *	saved_cmdlines      tasks that have ended: the tracer stores a name at each switch
 *
 * The sequence looks up each task once; if that fails, it tries again for every event of the task.
 * So a failed look-up is cached for a second, and saved_cmdlines is read at most every 50 ms.
 *
 * A task changes its name when it starts another program, and a pid can be reused. If no event
 * reports it, the names of active tasks are looked up again once a second.
 */
#include "live/names.h"

#include "base/clock.h"
#include "capture/calls/usertrace.h"
#include "capture/kernel/kernelinfo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAVED_MAX_BYTES (16u << 20)
#define SAVED_NS	50000000ull
#define MISSING_NS	1000000000ull
#define LOOK_NS		1000000000ull

void livenames_init(struct livenames *ln, const struct tracefs *t)
{
	*ln = (struct livenames){.t = t};
	textbuf_init(&ln->saved, SAVED_MAX_BYTES);
}

void livenames_release(struct livenames *ln)
{
	textbuf_release(&ln->saved);
}

size_t livenames_ask(int pid, char *buf, size_t size)
{
	char path[40];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, buf, size);
		close(fd);
	}
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	if (n <= 0)
		return 0;
	return kernelinfo_bare_name(buf, n);
}

/* Finds the name in the lines "PID NAME" of saved_cmdlines. */
static size_t find_saved(const struct livenames *ln, int pid, char *buf, size_t size)
{
	const char *p = ln->saved.start, *end = ln->saved.pos;
	char want[16];
	size_t len = snprintf(want, sizeof(want), "%d ", pid);

	while (p < end) {
		const char *nl = memchr(p, '\n', end - p), *stop = nl ? nl : end;

		if ((size_t)(stop - p) > len && !memcmp(p, want, len)) {
			size_t n = stop - p - len;

			n = n < size ? n : size;
			memcpy(buf, p + len, n);
			return n == 5 && !memcmp(buf, "<...>", 5) ? 0 : n;
		}
		p = stop + 1;
	}
	return 0;
}

size_t livenames_find(void *ctx, int pid, char *buf, size_t size)
{
	struct livenames *ln = ctx;
	unsigned slot = (unsigned)pid % LIVENAMES_SLOTS;
	uint64_t now = clock_now_ns();
	size_t len;

	if (pid <= 0 || (ln->missing[slot].pid == pid && now - ln->missing[slot].ns < MISSING_NS))
		return 0;
	len = livenames_ask(pid, buf, size);
	if (!len && ln->user)
		len = usertrace_find_name(ln->user, pid, buf, size);
	if (len)
		return len;
	if (ln->t && *ln->t->root && now - ln->saved_ns > SAVED_NS) {
		textbuf_clear(&ln->saved);
		if (tracefs_read(ln->t, "", "saved_cmdlines", &ln->saved) < 0)
			textbuf_clear(&ln->saved);
		ln->saved_ns = now;
	}
	len = find_saved(ln, pid, buf, size);
	if (!len) {
		ln->missing[slot].pid = pid;
		ln->missing[slot].ns = now;
	}
	return len;
}

bool livenames_is_due(struct livenames *ln, int pid, uint64_t now_ns)
{
	struct livename_time *slot = &ln->looked[(unsigned)pid % LIVENAMES_SLOTS];

	if (pid <= 0 || (slot->pid == pid && now_ns - slot->ns < LOOK_NS))
		return false;
	*slot = (struct livename_time){pid, now_ns};
	return true;
}
