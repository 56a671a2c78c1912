/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * userclock.h - the processor's counter, converted to CLOCK_MONOTONIC_RAW in nanoseconds, the
 * kernel's trace clock mono_raw.
 *
 *	userclock_init
 *	    userclock_ns      a time that was read from the counter
 *	    userclock_adjust  regularly; times before `counter` must have been converted already
 *
 * The conversion is continuous and rises: what is earlier on the counter never becomes later. One
 * owner.
 */
#ifndef SONDE_CAPTURE_CALLS_USERCLOCK_H
#define SONDE_CAPTURE_CALLS_USERCLOCK_H

#include <stdint.h>
#include <time.h>

struct userclock {
	uint64_t counter, ns; /* the line goes through this point … */
	uint64_t rate;	      /* … and rises by this for each count: ns << USERCLOCK_SHIFT */
	uint64_t first_counter, first_ns;
	uint64_t next_counter; /* when to compare again */
	uint64_t step;	       /* counts until the comparison after that */
	int64_t error_ns;      /* at the last comparison */
};

#define USERCLOCK_SHIFT 32

static inline uint64_t userclock_counter(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t counter;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
	return counter;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
#endif
}

static inline uint64_t userclock_ns(const struct userclock *c, uint64_t counter)
{
	/* a time before the point: an old record, rare */
	if (__builtin_expect(counter < c->counter, 0))
		return c->ns - (uint64_t)((unsigned __int128)(c->counter - counter) * c->rate >>
					  USERCLOCK_SHIFT);
	return c->ns +
	       (uint64_t)((unsigned __int128)(counter - c->counter) * c->rate >> USERCLOCK_SHIFT);
}

void userclock_init(struct userclock *c);
/*
 * Compares with the kernel's clock if it is time. Counters before `counter` were converted already;
 * later ones will be.
 */
void userclock_adjust(struct userclock *c, uint64_t counter);

#endif
