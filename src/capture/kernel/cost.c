// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost.c - measures what the kernel spends to write an event, and to handle a hit of a probe.
 *
 * It writes a line into the trace_marker of our own instance many times, with tracing_on and
 * without. The difference is the cost of reserving, timestamping and committing a record with this
 * clock, which every event pays. Collecting an event's fields costs more time, and a stack or a
 * function hook costs even more, so the figure is a lower bound.
 *
 * A probe in a program is a breakpoint, which takes 1 us on bare metal and 30 us in some virtual
 * machines. So a probe is put on an empty function of sonde, which is then called. The cost depends
 * on the probed instruction. The kernel emulates some (push, call, jumps, nop). All others need a
 * single step out of line, which is a second exception: ten times as long in a virtual machine that
 * has to exit to its host.
 *
 * A probe on the entry of a kernel function is a call on some kernels and a breakpoint on others:
 * 0.1 us or 1 us, and many times that on an emulated machine. So a probe is put on getppid, the
 * cheapest system call, which is called with and without it. Other processes that call it during
 * those milliseconds are slowed down, too.
 *
 * No events are recorded during both measurements, so the cost of writing the event must be added.
 */
#include "capture/kernel/cost.h"

#include "base/array.h"
#include "base/errmsg.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WRITES	   400
#define ROUNDS	   5
#define HITS	   20 /* few enough that some round runs undisturbed on a busy machine */
#define HIT_ROUNDS 25

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
	for (int i = 0; i < ROUNDS && fd >= 0; i++) { /* use the fastest round */
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

/*
 * --- a probe -----------------------------------------------------------------------------------
 */

#ifdef __x86_64__
__attribute__((naked)) static void hit_quick(void)
{
	__asm__("push %rbp; pop %rbp; ret");
}

__attribute__((naked)) static void hit_stepped(void)
{
	__asm__("mov %rsp, %rax; ret");
}
#else
__attribute__((noinline)) static void hit_stepped(void)
{
	__asm__ volatile("");
}

#define hit_quick hit_stepped
#endif

/*
 * First bytes of the instructions that the kernel emulates on x86-64. The second byte counts if it
 * has a mask.
 */
static const struct {
	uint8_t byte, mask, second, second_mask;
} quick[] = {
	{0x50, 0xf8, 0, 0},			      /* push */
	{0x41, 0xff, 0x50, 0xf8},		      /* push %r8 … */
	{0x90, 0xff, 0, 0},			      /* nop */
	{0xe8, 0xff, 0, 0},			      /* call */
	{0xe9, 0xff, 0, 0},			      /* jmp */
	{0xeb, 0xff, 0, 0},	  {0x70, 0xf0, 0, 0}, /* conditional jumps */
	{0x0f, 0xff, 0x80, 0xf0},
};

bool cost_is_quick(const char *place)
{
	const char *colon = strrchr(place, ':');
	uint8_t code[2] = {0};
	char path[2048];
	ssize_t n = 0;
	int fd;

	if (!colon || colon - place >= (ptrdiff_t)sizeof(path))
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(colon - place), place);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = pread(fd, code, sizeof(code), (off_t)strtoull(colon + 1, NULL, 16));
		close(fd);
	}
	for (size_t i = 0; i < ARRAY_LEN(quick) && n == sizeof(code); i++)
		if ((code[0] & quick[i].mask) == quick[i].byte &&
		    (code[1] & quick[i].second_mask) == quick[i].second)
			return true;
	return false;
}

/* Finds the position of the function in our own file, in the form for a uprobe: "PATH:0xOFFSET". */
static bool find_place(void (*function)(void), char *buf, size_t n_bytes)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	uint64_t start, end, offset, at = (uintptr_t)function;
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

/* Returns the nanoseconds for one call, from the fastest round. */
static double hit_many(void (*hit)(void))
{
	double least = 1e18;

	hit();
	for (int i = 0; i < HIT_ROUNDS; i++) {
		struct timespec a, b;
		double ns;

		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int k = 0; k < HITS; k++)
			hit();
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / HITS;
		least = ns < least ? ns : least;
	}
	return least;
}

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

/* Defines the probe, hits it, and removes it. Returns 0 if the kernel refuses it. */
static double measure(struct journal *j, const struct tracefs *t, const char *instance,
		      const char *file, const char *definition, void (*hit)(void))
{
	char name[64], line[2300], enable[200];
	double without = hit_many(hit), with = 0;
	struct errmsg ignored = {0};

	if (tracefs_exists(t, "", "dynamic_events"))
		file = "dynamic_events";
	snprintf(name, sizeof(name), "sonde_%d/cost", (int)getpid());
	if (!*instance || journal_add_probe(j, name, &ignored) < 0)
		return 0;
	snprintf(line, sizeof(line), "%c:%s %s", definition[0], name, definition + 2);
	snprintf(enable, sizeof(enable), "events/%s/enable", name);
	if (tracefs_try_write(t, "", file, line, TRACEFS_APPEND) < 0)
		return 0;
	if (tracefs_try_write(t, instance, enable, "1", TRACEFS_SET) >= 0) {
		with = hit_many(hit);
		tracefs_try_write(t, instance, enable, "0", TRACEFS_SET);
	}
	snprintf(line, sizeof(line), "-:%s", name);
	tracefs_try_write(t, "", file, line, TRACEFS_APPEND);
	return with > without ? with - without : 0;
}

static double cost_in_program(struct journal *j, const struct tracefs *t, const char *instance,
			      char letter, bool is_quick)
{
	void (*hit)(void) = is_quick ? hit_quick : hit_stepped;
	char place[2100], definition[2110];

	if (!find_place(hit, place, sizeof(place)))
		return 0;
	snprintf(definition, sizeof(definition), "%c %s", letter, place);
	return measure(j, t, instance, "uprobe_events", definition, hit);
}

static double cost_in_kernel(struct journal *j, const struct tracefs *t, const char *instance,
			     char letter, const char *suffix)
{
	static const char *const names[] = {
		"__x64_sys_getppid", "__arm64_sys_getppid", "__riscv_sys_getppid", "sys_getppid",
		/* several names for one address: the tracer's hook uses this one */
		"__do_sys_getppid"};
	double ns = 0;

	for (size_t i = 0; i < ARRAY_LEN(names) && ns == 0; i++) {
		char definition[64];

		snprintf(definition, sizeof(definition), "%c %s%s", letter, names[i], suffix);
		ns = measure(j, t, instance, "kprobe_events", definition, call_getppid);
	}
	return ns;
}

double cost_of_probe(struct journal *j, const struct tracefs *t, const char *instance,
		     enum probe_kind kind, bool is_quick)
{
	switch (kind) {
	case PROBE_UPROBE:
		return cost_in_program(j, t, instance, 'p', is_quick);
	case PROBE_URETPROBE:
		return cost_in_program(j, t, instance, 'r', is_quick);
	case PROBE_KPROBE:
		return cost_in_kernel(j, t, instance, 'p', "");
	case PROBE_KRETPROBE:
		return cost_in_kernel(j, t, instance, 'r', "");
	case PROBE_FPROBE:
		return cost_in_kernel(j, t, instance, 'f', "");
	case PROBE_FPROBE_EXIT:
		return cost_in_kernel(j, t, instance, 'f', "%return");
	default:
		return 0;
	}
}
