// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost.c - measures what it costs the kernel to write an event.
 *
 * A line is written into the trace_marker of an instance of our own, many times, once with tracing_on and
 * once without. The difference is what reserving, stamping and committing a record takes with this
 * clock: the same path that every event takes. Collecting an event's fields comes on top, a stack or a
 * function hook costs more; so the figure is what an event costs at least.
 */
#include "capture/cost.h"

#include "base/errmsg.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WRITES 400
#define ROUNDS 5

static double write_many(int fd)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < WRITES; i++)
		if (write(fd, "sonde measures itself\n", 22) < 0)
			break;
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / WRITES;
}

double cost_of_event(struct journal *j, const struct tracefs *t, const char *clock)
{
	double on = 1e18, off = 1e18;
	struct errmsg ignored = {0};
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "sonde.%d.cost", (int)getpid());
	if (journal_add_instance(j, name, &ignored) < 0)
		return 0;
	tracefs_try_write(t, name, "trace_clock", clock, TRACEFS_SET);
	fd = tracefs_open_file(t, name, "trace_marker", O_WRONLY);
	for (int i = 0; i < ROUNDS && fd >= 0; i++) { /* the least disturbed round counts */
		double ns;

		tracefs_try_write(t, name, "tracing_on", "1", TRACEFS_SET);
		ns = write_many(fd);
		on = ns < on ? ns : on;
		tracefs_try_write(t, name, "tracing_on", "0", TRACEFS_SET);
		ns = write_many(fd);
		off = ns < off ? ns : off;
	}
	if (fd >= 0)
		close(fd);
	tracefs_remove_instance(t, name, &ignored);
	return fd >= 0 && on > off ? on - off : 0;
}
