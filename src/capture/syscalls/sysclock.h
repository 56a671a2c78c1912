/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysclock.h - converts times of BPF programs (CLOCK_MONOTONIC) to the clock of traces
 * (CLOCK_MONOTONIC_RAW).
 *
 * The kernel adjusts the rate of the first to the time of day, by up to 500 ppm, but not of the
 * second. Both are read together again and again; a time between two readings is interpolated. The
 * error is that of a reading, some 50 ns, and the converted times never step back.
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSCLOCK_H
#define SONDE_CAPTURE_SYSCALLS_SYSCLOCK_H

#include <stdint.h>

struct sysclock {
	uint64_t mono, raw; /* the reading before the last */
	uint64_t last_mono, last_raw;
	uint64_t rate; /* of raw against mono since then, times 2^32 */
};

void sysclock_init(struct sysclock *c);
/* Reads both clocks. Convert older times before, younger ones after it. */
void sysclock_read(struct sysclock *c);

static inline uint64_t sysclock_raw(const struct sysclock *c, uint64_t mono)
{
	if (mono >= c->mono)
		return c->raw + (uint64_t)(((unsigned __int128)(mono - c->mono) * c->rate) >> 32);
	return c->raw - (c->mono - mono); /* a call that began before the recording */
}

#endif
