// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysclock.c - reads two clocks at nearly the same moment.
 *
 * One clock is read between two readings of the other. A task switch or an interrupt in between
 * makes the readings useless, so the shortest of a few attempts counts. That takes less than a
 * microsecond, a thousand times a second at most.
 */
#include "capture/syscalls/sysclock.h"

#include <time.h>

#define TRIES 4

static uint64_t now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The shortest of a few attempts: raw between two readings of mono. */
static void read_both(uint64_t *mono, uint64_t *raw)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now(CLOCK_MONOTONIC), middle = now(CLOCK_MONOTONIC_RAW),
			 after = now(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		*mono = before + best / 2;
		*raw = middle;
	}
}

void sysclock_init(struct sysclock *c)
{
	read_both(&c->mono, &c->raw);
	c->last_mono = c->mono;
	c->last_raw = c->raw;
	c->rate = UINT64_C(1) << 32;
}

void sysclock_read(struct sysclock *c)
{
	uint64_t mono = 0, raw = 0;

	read_both(&mono, &raw);
	if (mono <= c->last_mono || raw <= c->last_raw)
		return;
	c->mono = c->last_mono;
	c->raw = c->last_raw;
	c->last_mono = mono;
	c->last_raw = raw;
	c->rate = (uint64_t)(((unsigned __int128)(raw - c->raw) << 32) / (mono - c->mono));
}
