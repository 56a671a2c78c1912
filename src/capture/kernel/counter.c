// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counter.c - reads the rate of the processor's counter.
 *
 * The kernel provides it in the first page of a perf event's buffer. Any event is suitable; this
 * one counts nothing. If the counter does not run at a constant rate on all CPUs, as in many
 * virtual machines, cap_user_time is 0.
 */
#include "capture/kernel/counter.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int counter_read_rate(struct counter_rate *ret_rate)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	long n_bytes = sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page;
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC), r = 0;

	if (fd < 0)
		return -ENOTSUP;
	page = mmap(NULL, n_bytes, PROT_READ, MAP_SHARED, fd, 0);
	close(fd); /* the mapping keeps the event */
	if (page == MAP_FAILED)
		return -ENOTSUP;
	if (page->cap_user_time && page->time_mult)
		*ret_rate = (struct counter_rate){page->time_mult, page->time_shift};
	else
		r = -ENOTSUP;
	munmap(page, n_bytes);
	return r;
}
