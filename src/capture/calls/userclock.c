// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userclock.c - a line through (counter, ns), corrected now and then.
 *
 *	ns │            ╱ the line follows what was measured: its slope is that of the whole
 *	   │       ●──╱   recording, corrected so that the error is 0 after CONVERGE_NS
 *	   │    ╱
 *	   └──────────── counter
 *
 * CLOCK_MONOTONIC_RAW is the counter times a constant that the kernel does not publish. perf
 * publishes a constant that was computed from the same frequency; with it the error of the first
 * line is about 1e-9. Without it (perf_event_paranoid) the first slope is measured in FIRST_NS,
 * with an error of some 1e-5. So the first comparisons come after 10 ms, 20 ms … and keep the error
 * of times below a microsecond.
 *
 * A comparison reads the counter before and after the clock, some times, and takes the closest.
 */
#include "capture/calls/userclock.h"

#include "capture/kernel/counter.h"

#include <time.h>

#define TRIES	    8
#define FIRST_NS    2000000u
#define SOON_NS	    10000000u
#define SECOND_NS   1000000000u
#define CONVERGE_NS 1000000000
#define SLOPE_PART  2000 /* the correction is at most this part of the slope */

static uint64_t clock_raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void compare(uint64_t *ret_counter, uint64_t *ret_ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = userclock_counter(), ns = clock_raw_ns();
		uint64_t width = userclock_counter() - before;

		if (width < best) {
			best = width;
			*ret_counter = before + width / 2;
			*ret_ns = ns;
		}
	}
}

static uint64_t slope(uint64_t ns, uint64_t counts)
{
	return counts ? (uint64_t)(((unsigned __int128)ns << USERCLOCK_SHIFT) / counts) : 0;
}

static uint64_t counts_of(const struct userclock *c, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << USERCLOCK_SHIFT) / c->rate);
}

void userclock_init(struct userclock *c)
{
	struct counter_rate rate;

	*c = (struct userclock){0};
	compare(&c->counter, &c->ns);
	c->first_counter = c->counter;
	c->first_ns = c->ns;
	if (counter_read_rate(&rate) >= 0 && rate.shift <= USERCLOCK_SHIFT) {
		c->rate = (uint64_t)rate.mult << (USERCLOCK_SHIFT - rate.shift);
	} else {
		uint64_t counter = 0, ns = 0;

		do
			compare(&counter, &ns);
		while (ns - c->ns < FIRST_NS);
		c->rate = slope(ns - c->ns, counter - c->counter);
	}
	if (!c->rate)
		c->rate = UINT64_C(1) << USERCLOCK_SHIFT;
	c->step = counts_of(c, SOON_NS);
	c->next_counter = c->counter + c->step;
}

void userclock_adjust(struct userclock *c, uint64_t counter)
{
	uint64_t now = 0, ns = 0, rate, max;
	int64_t error, correction;

	if (counter < c->next_counter)
		return;
	compare(&now, &ns);
	if (now <= c->first_counter || ns <= c->first_ns)
		return;
	error = (int64_t)(ns - userclock_ns(c, now));
	rate = slope(ns - c->first_ns, now - c->first_counter);
	max = rate / SLOPE_PART;
	correction = (int64_t)((__int128)rate * error / CONVERGE_NS);
	if (correction > (int64_t)max)
		correction = (int64_t)max;
	if (correction < -(int64_t)max)
		correction = -(int64_t)max;
	c->ns = userclock_ns(c, counter);
	c->counter = counter;
	c->rate = rate + (uint64_t)correction;
	c->error_ns = error;
	if (c->step < counts_of(c, SECOND_NS))
		c->step *= 2;
	c->next_counter = counter + c->step;
}
