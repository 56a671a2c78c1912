// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - asks those who may know: the task itself, then the kernel's tracer.
 *
 *	/proc/PID/comm      tasks that live, or wait to be buried by their parent
 *	saved_cmdlines      tasks that are gone: the tracer notes a name when it is switched to
 *
 * The sequence asks once for each task, as long as it gets no answer: then for every event of it. So a
 * question without an answer is remembered for a second, and saved_cmdlines is not read more often than
 * every 50 ms.
 *
 * A task changes its name when it starts another program, and a number may come to belong to another task.
 * Where no event tells, tasks that are seen are asked again once a second.
 */
#include "live/names.h"

#include "base/clock.h"
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

/* "PID NAME" lines. */
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
	if (len)
		return len;
	if (ln->t && now - ln->saved_ns > SAVED_NS) {
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
