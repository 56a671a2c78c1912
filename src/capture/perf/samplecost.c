// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * samplecost.c - measures a sample by page faults of this thread.
 *
 * A page fault can be caused on purpose, and an event can sample each one. So some pages are
 * touched without and with such an event, whose samples have the same fields as those of the given
 * event:
 *
 *	(time with the event - time without) / pages
 *
 * The least of several rounds counts, as interrupts only add. The interrupt of a timer or a
 * counter, one or two microseconds, is not in it.
 */
#include "capture/perf/samplecost.h"

#include "base/clock.h"

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES  48u
#define ROUNDS 4

/* Returns the time for touching fresh pages. */
static uint64_t touch(volatile char *pages, size_t page_bytes)
{
	uint64_t start;

	madvise((void *)pages, PAGES * page_bytes, MADV_DONTNEED);
	start = clock_now_ns();
	for (size_t i = 0; i < PAGES; i++)
		pages[i * page_bytes] = 1;
	return clock_now_ns() - start;
}

static int open_event(const struct perf_event_attr *like)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = like->sample_type &
			       ~(uint64_t)(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_READ),
		.exclude_kernel = like->exclude_kernel,
		.exclude_callchain_user = like->exclude_callchain_user,
		.sample_regs_user = like->sample_regs_user,
		.sample_stack_user = like->sample_stack_user,
		.use_clockid = 1,
		.clockid = like->clockid,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
		.disabled = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Measures with an open event, whose ring is emptied before each round. */
static double compare(int fd, struct perf_event_mmap_page *ring, volatile char *pages,
		      size_t page_bytes)
{
	uint64_t without = UINT64_MAX, with = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t bare = touch(pages, page_bytes), sampled;

		ring->data_tail = ring->data_head;
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		sampled = touch(pages, page_bytes);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		without = bare < without ? bare : without;
		with = sampled < with ? sampled : with;
	}
	return with > without ? (double)(with - without) / PAGES : 0;
}

double samplecost_measure(const struct perf_event_attr *attr)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), ring_bytes = 32 * page_bytes;
	int fd = open_event(attr);
	double cost = 0;
	void *ring, *pages;

	if (fd < 0)
		return 0;
	while (ring_bytes < PAGES * (attr->sample_stack_user + 2048ul))
		ring_bytes *= 2;
	ring = mmap(NULL, page_bytes + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pages = mmap(NULL, PAGES * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (ring != MAP_FAILED && pages != MAP_FAILED) {
		madvise(pages, PAGES * page_bytes, MADV_NOHUGEPAGE);
		cost = compare(fd, ring, pages, page_bytes);
	}
	if (pages != MAP_FAILED)
		munmap(pages, PAGES * page_bytes);
	if (ring != MAP_FAILED)
		munmap(ring, page_bytes + ring_bytes);
	close(fd);
	return cost;
}
