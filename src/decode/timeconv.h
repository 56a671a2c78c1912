/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeconv.h - converts the time in the ring buffer to the shown time.
 *
 *	raw ─▶ (guest) host's clock ─▶ × factor, or × mult >> shift ─▶ + offset
 */
#ifndef SONDE_DECODE_TIMECONV_H
#define SONDE_DECODE_TIMECONV_H

#include "base/arena.h"
#include "store/tracefile.h"

#include <stdbool.h>

struct time_sample { /* a comparison of the guest's clock with the host's */
	int64_t time, offset, scaling, fraction;
};

struct time_shift {
	uint64_t peer_id;
	bool interpolate;
	uint32_t n_cpus;
	struct {
		struct time_sample *samples; /* sorted by time, times distinct */
		uint32_t n;
	} * cpus;
};

struct timeconv {
	bool raw;		 /* report --raw-ts: no conversion */
	bool is_simple;		 /* only the offset applies */
	bool in_time;		 /* the result is in nanoseconds, not in units of a counter */
	double factor;		 /* factor of --ts2secs; 0: none */
	uint32_t mult, shift;	 /* mult 0: none */
	uint64_t offset;	 /* added to the time; wraps around if it is negative */
	struct time_shift *host; /* NULL: the clock is not synchronised with a host */
};

struct timeconv_config {
	bool raw_ts, no_date;
	int64_t offset;
	uint64_t ts2secs; /* value of --ts2secs; 0: none */
};

/*
 * Prepares the conversion. clock is the clock of the buffer, or NULL if the file does not have it.
 */
void timeconv_init(struct timeconv *tc, const struct tracefile *tf, const char *clock,
		   const struct timeconv_config *config);

/*
 * The unit of the result, in nanoseconds. If ns is 0, the clock does not count time, and the unit
 * is the named thing. in_time differs: it decides how report prints the time. As in trace-cmd, boot
 * is a bare number, and uptime is printed like nanoseconds.
 */
struct time_unit {
	uint32_t ns;
	const char *name;
};
struct time_unit timeconv_unit(const struct timeconv *tc, const char *clock);

/* Reads the TIME_SHIFT option. Returns NULL if there is none or it is damaged. */
struct time_shift *time_shift_read(const struct tracefile *tf, struct arena *arena);
/* Returns the TRACEID option, or 0 if there is none. */
uint64_t timeconv_trace_id(const struct tracefile *tf);

uint64_t timeconv_slow(const struct timeconv *tc, uint64_t ts, uint32_t cpu);

static inline uint64_t timeconv(const struct timeconv *tc, uint64_t ts, uint32_t cpu)
{
	return __builtin_expect(tc->is_simple, 1) ? ts + tc->offset : timeconv_slow(tc, ts, cpu);
}

/* Call it after changing tc->host or tc->offset. */
void timeconv_settle(struct timeconv *tc);

#endif
