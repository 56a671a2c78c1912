// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taskswitches.c - reads perf's ring buffers of task switches into memory.
 *
 * Each CPU has an event that counts nothing (PERF_COUNT_SW_DUMMY) and reports switches, new tasks
 * and names. It belongs to the calling thread and is inherited by its children; that needs a buffer
 * for each CPU. A buffer has 128 KiB, because a user without privileges may lock 516 KiB for each
 * CPU. That is 4096 switches, and the thread empties it twenty times a second.
 *
 * Threads: between open and stop only the thread touches the buffers and the texts.
 */
#include "capture/kernel/taskswitches.h"

#include "base/scope.h"
#include "base/stoppipe.h"
#include "base/textbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define RING_BYTES     (128u << 10)
#define TEXT_MAX_BYTES (1u << 30)
#define PATIENCE_MS    50

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	struct textbuf data;
};

struct taskswitches {
	struct ring *rings;
	size_t n_rings, page_bytes;
	uint64_t n_lost;
	pthread_t thread;
	bool has_thread;
	int stop_fds[2];
};

static int open_ring(struct taskswitches *t, struct ring *ring, int cpu, bool only_tasks)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.comm = 1,
		.task = 1,
		.context_switch = !only_tasks,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};

	ring->fd = (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno; /* the CPU is offline */
	ring->page = mmap(NULL, t->page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (ring->page != MAP_FAILED)
		return 0;
	ring->page = NULL;
	return -errno;
}

/* Copies what is new. The bytes of a record may go round the end of the buffer. */
static void drain(const struct taskswitches *t, struct ring *ring)
{
	const char *bytes = (const char *)ring->page + t->page_bytes;
	uint64_t head, tail;
	size_t at, n, first;

	if (!ring->page)
		return;
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	tail = ring->page->data_tail;
	at = tail % RING_BYTES;
	n = head - tail;
	first = n < RING_BYTES - at ? n : RING_BYTES - at;
	textbuf_add(&ring->data, bytes + at, first);
	textbuf_add(&ring->data, bytes, n - first);
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static void *run(void *ctx)
{
	struct taskswitches *t = ctx;
	struct pollfd fd = {.fd = t->stop_fds[0], .events = POLLIN};

	while (poll(&fd, 1, PATIENCE_MS) <= 0)
		for (size_t i = 0; i < t->n_rings; i++)
			drain(t, &t->rings[i]);
	return NULL;
}

int taskswitches_open(struct taskswitches **ret, bool only_tasks)
{
	struct taskswitches *t = calloc(1, sizeof(*t));
	long n = sysconf(_SC_NPROCESSORS_CONF);
	int r = 0;

	if (!t)
		return -ENOMEM;
	t->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	t->stop_fds[0] = t->stop_fds[1] = -1;
	t->rings = n > 0 ? calloc((size_t)n, sizeof(*t->rings)) : NULL;
	if (!t->rings)
		r = -ENOMEM;
	else if (pipe2(t->stop_fds, O_CLOEXEC) < 0)
		r = -errno;
	while (r >= 0 && t->n_rings < (size_t)n) {
		struct ring *ring = &t->rings[t->n_rings];

		textbuf_init(&ring->data, TEXT_MAX_BYTES);
		r = open_ring(t, ring, (int)t->n_rings, only_tasks);
		t->n_rings++;
	}
	if (r >= 0)
		r = -pthread_create(&t->thread, NULL, run, t);
	t->has_thread = r >= 0;
	if (r < 0)
		taskswitches_close(t);
	else
		*ret = t;
	return r;
}

static void count_lost(struct taskswitches *t, const struct textbuf *tb)
{
	const char *pos = tb->start, *end = tb->pos;

	while (pos && end - pos >= (ptrdiff_t)sizeof(struct perf_event_header)) {
		struct perf_event_header head;
		uint64_t n;

		memcpy(&head, pos, sizeof(head));
		if (head.size < sizeof(head) || head.size > end - pos)
			return;
		if (head.type == PERF_RECORD_LOST && head.size >= sizeof(head) + 16) {
			memcpy(&n, pos + sizeof(head) + 8, 8);
			t->n_lost += n;
		}
		pos += head.size;
	}
}

void taskswitches_stop(struct taskswitches *t)
{
	if (!t->has_thread)
		return;
	stoppipe_stop(t->stop_fds);
	pthread_join(t->thread, NULL);
	t->has_thread = false;
	for (size_t i = 0; i < t->n_rings; i++) {
		drain(t, &t->rings[i]);
		count_lost(t, &t->rings[i].data);
	}
}

struct piece taskswitches_data(const struct taskswitches *t, size_t cpu)
{
	const struct textbuf *tb = &t->rings[cpu].data;

	return (struct piece){(const uint8_t *)tb->start, textbuf_len(tb)};
}

size_t taskswitches_cpus(const struct taskswitches *t)
{
	return t->n_rings;
}

uint64_t taskswitches_lost(const struct taskswitches *t)
{
	return t->n_lost;
}

void taskswitches_close(struct taskswitches *t)
{
	if (!t)
		return;
	taskswitches_stop(t);
	for (size_t i = 0; i < t->n_rings; i++) {
		struct ring *ring = &t->rings[i];

		if (ring->page)
			munmap(ring->page, t->page_bytes + RING_BYTES);
		if (ring->fd >= 0)
			close(ring->fd);
		textbuf_release(&ring->data);
	}
	for (int i = 0; i < 2; i++)
		if (t->stop_fds[i] >= 0)
			close(t->stop_fds[i]);
	free(t->rings);
	free(t);
}
