/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usercost.h - what tracing costs the traced programs, estimated while they run.
 *
 *	cost = calls × cost of a call / CPU time of the programs without that
 *
 * The cost of a call is two reads of the processor's counter, which are measured, and a constant
 * for the rest of the hook. The CPU time is the kernel's. Time in which a program waits for a full
 * ring is not CPU time. The recorder's own CPU time does not count.
 *
 * One thread may use it, except usercost_percent().
 */
#ifndef SONDE_CAPTURE_STEER_USERCOST_H
#define SONDE_CAPTURE_STEER_USERCOST_H

#include "base/map.h"

#include <stdint.h>

struct userrings;

struct usercost {
	double call_ns;	       /* of one call with its return */
	struct map processes;  /* pid to its CPU time in the last step */
	uint64_t cpu_ns;       /* of all steps */
	uint64_t n_calls;      /* … */
	uint64_t step_cpu_ns;  /* of the last step */
	uint64_t step_n_calls; /* … */
	uint32_t percent_x100; /* of all steps; read by others */
};

/* Measures the counter: takes about 0.1 ms. */
void usercost_init(struct usercost *c);
void usercost_release(struct usercost *c);
/* n_calls: since the beginning. The processes are those with a ring. */
void usercost_step(struct usercost *c, const struct userrings *rings, uint64_t n_calls);
/* The CPU time without n_calls that are in it. */
double usercost_rest(const struct usercost *c, uint64_t n_calls, uint64_t cpu_ns);
/* In percent: n_calls in cpu_ns, which contains them. */
double usercost_ratio(const struct usercost *c, uint64_t n_calls, uint64_t cpu_ns);
/* Of the whole recording so far; any thread. */
double usercost_percent(const struct usercost *c);

#endif
