// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usercost.c - the CPU time of traced programs, and what part of it is ours.
 *
 * Programs write the pids that are read here. A wrong pid makes only the estimate wrong. When a
 * process is first seen, its CPU time since its start counts. Its time after its last step, which
 * is shorter than a step, does not count.
 */
#include "capture/steer/usercost.h"

#include "capture/calls/userclock.h"
#include "capture/calls/userrings.h"
#include "runtime/snrt.h"

#include <time.h>

#define READS	      256 /* short rounds: one without an interrupt is enough */
#define ROUNDS	      50
/*
 * Beside the counter: the hooks 1 ns; what they take from the caches of a large program (python3)
 * the rest.
 */
#define REST_NS	      2.5
#define PROCESSES_MAX 65536u
#define REST_MIN      20 /* the programs' own part is at least this fraction: 1/20 */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static double measure_counter(void)
{
	uint64_t best = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t start = now_ns(), sum = 0, took;

		for (int i = 0; i < READS; i++)
			sum += userclock_counter();
		__asm__ volatile("" : : "r"(sum));
		took = now_ns() - start;
		if (took < best)
			best = took;
	}
	return (double)best / READS;
}

void usercost_init(struct usercost *c)
{
	*c = (struct usercost){.call_ns = 2 * measure_counter() + REST_NS};
}

void usercost_release(struct usercost *c)
{
	map_release(&c->processes);
}

/* 0: it is gone. */
static uint64_t cpu_ns_of(uint32_t pid)
{
	struct timespec ts;
	clockid_t clock;

	if (!pid || clock_getcpuclockid((pid_t)pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* What a process has used since the last time. Its second thread in a step finds nothing new. */
static uint64_t take_process(struct usercost *c, uint32_t pid)
{
	uint64_t now = cpu_ns_of(pid), before;
	void **slot;

	if (!now)
		return 0;
	slot = map_take(&c->processes, pid, PROCESSES_MAX);
	if (!slot)
		return 0;
	before = (uint64_t)(uintptr_t)*slot;
	*slot = (void *)(uintptr_t)now;
	return now < before ? now : now - before;
}

double usercost_ratio(const struct usercost *c, uint64_t n_calls, uint64_t cpu_ns)
{
	double ours = (double)n_calls * c->call_ns;

	return n_calls && cpu_ns ? 100.0 * ours / usercost_rest(c, n_calls, cpu_ns) : 0;
}

/*
 * The estimate of our part has an error of some percent. If nearly all time is ours, the rest could
 * become zero or negative.
 */
double usercost_rest(const struct usercost *c, uint64_t n_calls, uint64_t cpu_ns)
{
	double rest = (double)cpu_ns - (double)n_calls * c->call_ns,
	       min = (double)cpu_ns / REST_MIN;

	return rest > min ? rest : min;
}

void usercost_step(struct usercost *c, const struct userrings *rings, uint64_t n_calls)
{
	uint64_t cpu_ns = 0;

	for (uint32_t slot = 0; slot < SNRT_SLOTS; slot++)
		if (userrings_state(rings, slot) == SNRT_LIVE)
			cpu_ns +=
				take_process(c, __atomic_load_n(&userrings_thread(rings, slot)->pid,
								__ATOMIC_RELAXED));
	c->step_cpu_ns = cpu_ns;
	c->step_n_calls = n_calls - c->n_calls;
	c->cpu_ns += cpu_ns;
	c->n_calls = n_calls;
	__atomic_store_n(&c->percent_x100,
			 (uint32_t)(100 * usercost_ratio(c, c->n_calls, c->cpu_ns)),
			 __ATOMIC_RELAXED);
}

double usercost_percent(const struct usercost *c)
{
	return __atomic_load_n(&c->percent_x100, __ATOMIC_RELAXED) / 100.0;
}
