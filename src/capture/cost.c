// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost.c - measures what it costs the kernel to write an event, and to be hit by a probe in a program.
 *
 * A line is written into the trace_marker of an instance of our own, many times, once with tracing_on and
 * once without. The difference is what reserving, stamping and committing a record takes with this
 * clock: the same path that every event takes. Collecting an event's fields comes on top, a stack or a
 * function hook costs more; so the figure is what an event costs at least.
 *
 * A probe in a program is a breakpoint, which takes 1 us on bare metal and 30 us in some virtual machines.
 * So one is put on a function of our own that does nothing, and that is called.
 */
#include "capture/cost.h"

#include "base/errmsg.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WRITES 400
#define ROUNDS 5
#define HITS   100

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

/* --- a probe in a program ---------------------------------------------------------------------- */

__attribute__((noinline)) static void be_hit(void)
{
	__asm__ volatile("");
}

/* Where the function stands in our own file, as a uprobe takes it: "PATH:0xOFFSET". */
static bool find_place(const void *address, char *buf, size_t n_bytes)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, at = (uintptr_t)address;
	char line[4096], path[2048];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %2047[^\n]",
			       &start, &end, &offset, path) == 4 &&
			at >= start && at < end && path[0] == '/' && !strpbrk(path, " \t:");
	if (maps)
		fclose(maps);
	if (found)
		snprintf(buf, n_bytes, "%s:0x%" PRIx64, path, at - start + offset);
	return found;
}

static double hit_many(void)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < HITS; i++)
		be_hit();
	clock_gettime(CLOCK_MONOTONIC, &b);
	return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / HITS;
}

double cost_of_uprobe(struct journal *j, const struct tracefs *t, const char *instance)
{
	const char *file =
		tracefs_exists(t, "", "dynamic_events") ? "dynamic_events" : "uprobe_events";
	char place[2100], name[64], line[2300], enable[200];
	struct errmsg ignored = {0};
	double ns = 0;

	snprintf(name, sizeof(name), "sonde_%d/cost", (int)getpid());
	if (!*instance || !find_place(be_hit, place, sizeof(place)) ||
	    journal_add_probe(j, name, &ignored) < 0)
		return 0;
	snprintf(line, sizeof(line), "p:%s %s", name, place);
	snprintf(enable, sizeof(enable), "events/%s/enable", name);
	if (tracefs_try_write(t, "", file, line, TRACEFS_APPEND) < 0)
		return 0;
	if (tracefs_try_write(t, instance, enable, "1", TRACEFS_SET) >= 0) {
		be_hit();
		ns = hit_many();
		tracefs_try_write(t, instance, enable, "0", TRACEFS_SET);
	}
	snprintf(line, sizeof(line), "-:%s", name);
	tracefs_try_write(t, "", file, line, TRACEFS_APPEND);
	return ns;
}
