/* SPDX-License-Identifier: GPL-2.0-or-later */
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

struct time_sample { /* of the guest's clock against the host's */
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
	bool in_time;		 /* the result is in nanoseconds, not in units of some counter */
	double factor;		 /* 0: none; --ts2secs */
	uint32_t mult, shift;	 /* mult 0: none */
	uint64_t offset;	 /* added; wraps around if it is negative */
	struct time_shift *host; /* NULL: not synchronised */
};

struct timeconv_config {
	bool raw_ts, no_date;
	int64_t offset;
	uint64_t ts2secs; /* 0: none */
};

/* clock: of the buffer, NULL if the file does not have it. */
void timeconv_init(struct timeconv *tc, const struct tracefile *tf, const char *clock,
		   const struct timeconv_config *config);

/*
 * The unit of the result, in nanoseconds; ns 0: not a time, but things of this name. in_time
 * differs: it says how report prints it, as in trace-cmd: boot as a bare number, uptime as if it
 * were nanoseconds.
 */
struct time_unit {
	uint32_t ns;
	const char *name;
};
struct time_unit timeconv_unit(const struct timeconv *tc, const char *clock);

/* The TIME_SHIFT option, or NULL if there is none or it is damaged. */
struct time_shift *time_shift_read(const struct tracefile *tf, struct arena *arena);
/* The TRACEID option, 0 if there is none. */
uint64_t timeconv_trace_id(const struct tracefile *tf);

uint64_t timeconv_slow(const struct timeconv *tc, uint64_t ts, uint32_t cpu);

static inline uint64_t timeconv(const struct timeconv *tc, uint64_t ts, uint32_t cpu)
{
	return __builtin_expect(tc->is_simple, 1) ? ts + tc->offset : timeconv_slow(tc, ts, cpu);
}

/* Call it after changing tc->host or tc->offset. */
void timeconv_settle(struct timeconv *tc);

#endif
