// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * lanes.c - pages of all CPUs, in the order in which they fill up, in one temporary file.
 *
 * Records arrive by time, but a trace file has all pages of a CPU together. So finished pages are
 * appended to a file without a name, and each lane (a buffer and a CPU) remembers the numbers of
 * its pages: 4 bytes a page, whatever the size of the trace.
 */
#include "inputs/foreign/lanes.h"

#include "base/array.h"
#include "base/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES_MAX UINT32_MAX

int lanes_init(struct lanes *l, unsigned n_buffers)
{
	const char *dir = getenv("TMPDIR");

	*l = (struct lanes){.n_buffers = n_buffers};
	l->fd = open(dir && *dir ? dir : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (l->fd < 0)
		l->fd = memfd_create("sonde-lanes", MFD_CLOEXEC);
	return l->fd < 0 ? -errno : 0;
}

void lanes_release(struct lanes *l)
{
	for (size_t i = 0; i < l->n_cpus * l->n_buffers; i++) {
		if (!l->lanes[i])
			continue;
		pagebuilder_release(&l->lanes[i]->page);
		free(l->lanes[i]->pages);
		free(l->lanes[i]);
	}
	free(l->lanes);
	if (l->n_buffers && l->fd >= 0)
		close(l->fd);
	*l = (struct lanes){.fd = -1};
}

static struct lane *take_lane(struct lanes *l, unsigned buffer, uint32_t cpu)
{
	size_t at = (size_t)cpu * l->n_buffers + buffer;
	struct lane *lane;

	if (cpu >= LANES_CPUS_MAX)
		return NULL;
	if (cpu >= l->n_cpus) {
		if (!ARRAY_ROOM(l->lanes, l->cap, ((size_t)cpu + 1) * l->n_buffers,
				(size_t)LANES_CPUS_MAX * l->n_buffers))
			return NULL;
		l->n_cpus = cpu + 1;
	}
	if (l->lanes[at])
		return l->lanes[at];
	lane = calloc(1, sizeof(*lane));
	if (!lane)
		return NULL;
	if (pagebuilder_init_host(&lane->page, LANES_PAGE_BYTES) < 0) {
		free(lane);
		return NULL;
	}
	l->lanes[at] = lane;
	return lane;
}

static int end_page(struct lanes *l, struct lane *lane)
{
	struct piece p;
	ssize_t n;

	if (!lane->has_page)
		return 0;
	lane->has_page = false;
	p = pagebuilder_end(&lane->page);
	if (!ARRAY_ROOM(lane->pages, lane->cap_pages, lane->n_pages + 1, PAGES_MAX))
		return -ENOMEM;
	n = pwrite(l->fd, p.data, p.len, (off_t)l->n_written * LANES_PAGE_BYTES);
	if (n != (ssize_t)p.len)
		return n < 0 ? -errno : -ENOSPC;
	lane->pages[lane->n_pages++] = l->n_written++;
	return 0;
}

int lanes_add(struct lanes *l, unsigned buffer, uint32_t cpu, uint64_t time_ns, const void *data,
	      uint32_t n_bytes)
{
	struct lane *lane = take_lane(l, buffer, cpu);

	if (!lane)
		return -ENOMEM;
	if (time_ns < lane->last_ns)
		time_ns = lane->last_ns;
	lane->last_ns = time_ns;
	for (int i = 0; i < 2; i++) {
		if (!lane->has_page) {
			pagebuilder_begin(&lane->page, time_ns, lane->n_missed);
			lane->has_page = true;
			lane->n_missed = 0;
			if (!pagebuilder_add(&lane->page, time_ns, data, n_bytes)) {
				lane->has_page = false;
				return -E2BIG;
			}
			return 0;
		}
		if (pagebuilder_add(&lane->page, time_ns, data, n_bytes))
			return 0;
		TRY(end_page(l, lane));
	}
	return -E2BIG;
}

int lanes_add_missed(struct lanes *l, unsigned buffer, uint32_t cpu, uint64_t n)
{
	struct lane *lane = take_lane(l, buffer, cpu);

	if (!lane)
		return -ENOMEM;
	TRY(end_page(l, lane));
	if (!n)
		lane->n_missed = lane->n_missed ? lane->n_missed : PAGEBUILDER_MISSED_UNKNOWN;
	else
		lane->n_missed =
			(lane->n_missed > 0 ? lane->n_missed : 0) + (int64_t)(n & INT32_MAX);
	return 0;
}

int lanes_finish(struct lanes *l)
{
	for (size_t i = 0; i < l->n_cpus * l->n_buffers; i++)
		if (l->lanes[i])
			TRY(end_page(l, l->lanes[i]));
	l->next_cpu = l->next_page = 0;
	return 0;
}

int lanes_next(struct lanes *l, unsigned buffer, uint32_t *ret_cpu, struct piece *ret)
{
	for (; l->next_cpu < l->n_cpus; l->next_cpu++, l->next_page = 0) {
		const struct lane *lane = l->lanes[l->next_cpu * l->n_buffers + buffer];
		ssize_t n;

		if (!lane || l->next_page >= lane->n_pages)
			continue;
		n = pread(l->fd, l->out, sizeof(l->out),
			  (off_t)lane->pages[l->next_page++] * LANES_PAGE_BYTES);
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		*ret_cpu = (uint32_t)l->next_cpu;
		*ret = (struct piece){l->out, (size_t)n};
		return 1;
	}
	l->next_cpu = l->next_page = 0;
	return 0;
}
