// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * timeconv.c - reads the time corrections of a file, and applies them.
 *
 *	DATE       "0x…" microseconds to add, to get wall clock time
 *	OFFSET     a number in raw units to add
 *	TSC2NSEC   mult and shift of the counter
 *	TIME_SHIFT samples of a guest's clock against its host's, per CPU of the guest:
 *	           u64 peer, u32 flags, u32 cpus, per CPU u32 n, n times, n offsets, n scalings;
 *	           then, if the file is new enough, n fractions per CPU
 *
 * A single sample gives the offset for all times. With several, the two samples around a time are
 * used; if flag 1 is set, the offset is interpolated between them. Samples are sorted and
 * duplicates dropped.
 */
#include "decode/timeconv.h"

#include "base/array.h"
#include "format/tracedat.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLES_MAX (1u << 20)

static bool clock_is_time(const char *clock)
{
	static const char *const names[] = {"local", "global",	 "uptime",   "perf",
					    "mono",  "mono_raw", "tsc2nsec", "tai"};

	if (!clock)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], clock))
			return true;
	return !strncmp(clock, "mono", 4);
}

struct time_unit timeconv_unit(const struct timeconv *tc, const char *clock)
{
	static const struct {
		const char *name;
		struct time_unit unit;
	} others[] = {
		{"boot", {1, "ns"}},
		{"uptime", {10000000, "ns"}}, /* clock_t has 100 ticks per second */
		{"counter", {0, "counts"}},
		{"x86-tsc", {0, "cycles"}},
	};

	if (!tc->raw && (tc->mult || tc->factor))
		return (struct time_unit){1, "ns"};
	for (size_t i = 0; clock && i < ARRAY_LEN(others); i++)
		if (!strcmp(others[i].name, clock))
			return others[i].unit;
	return tc->in_time ? (struct time_unit){1, "ns"} : (struct time_unit){0, "ticks"};
}

/* Copies the option's text as a terminated string. */
static bool option_text(const struct tracefile *tf, unsigned id, char *buf, size_t size)
{
	const struct tracefile_option *o = tracefile_option_find(tf, id);
	size_t n;

	if (!o || !o->data.len)
		return false;
	n = o->data.len < size - 1 ? o->data.len : size - 1;
	memcpy(buf, o->data.data, n);
	buf[n] = 0;
	return true;
}

void timeconv_settle(struct timeconv *tc)
{
	tc->is_simple = !tc->raw && !tc->factor && !tc->mult && !tc->host;
}

void timeconv_init(struct timeconv *tc, const struct tracefile *tf, const char *clock,
		   const struct timeconv_config *config)
{
	const struct tracefile_option *tsc = tracefile_option_find(tf, SNF_OPTION_TSC2NSEC);
	char text[64];

	memset(tc, 0, sizeof(*tc));
	tc->raw = config->raw_ts;
	tc->offset = config->offset;
	tc->in_time = clock_is_time(clock);
	if (tsc && tsc->data.len >= 8) {
		tc->mult = bytes_get32(tsc->data.data, tf->swap);
		tc->shift = bytes_get32(tsc->data.data + 4, tf->swap);
		tc->in_time = true;
	}
	if (tc->raw)
		tc->in_time = false;
	/* a file whose options have no clock is assumed to have the usual one */
	if (!tracefile_option_find(tf, SNF_OPTION_TRACECLOCK))
		tc->in_time = true;
	if (config->ts2secs)
		tc->factor = 1e9 / (double)config->ts2secs;
	if (!config->no_date && option_text(tf, SNF_OPTION_DATE, text, sizeof(text)))
		tc->offset += (uint64_t)strtoll(text, NULL, 0) * 1000;
	if (option_text(tf, SNF_OPTION_OFFSET, text, sizeof(text)))
		tc->offset += strtoll(text, NULL, 0);
	timeconv_settle(tc);
}

uint64_t timeconv_trace_id(const struct tracefile *tf)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TRACEID);

	return o && o->data.len >= 8 ? bytes_get64(o->data.data, tf->swap) : 0;
}

ARRAY_ORDER(sample_compare, struct time_sample, COMPARE(x->time, y->time))

static void read_column(struct byte_reader *r, struct time_sample *s, uint32_t n, size_t offset)
{
	for (uint32_t i = 0; i < n; i++)
		*(int64_t *)((char *)&s[i] + offset) = byte_reader_take_number(r, 8);
}

struct time_shift *time_shift_read(const struct tracefile *tf, struct arena *arena)
{
	const struct tracefile_option *o = tracefile_option_find(tf, SNF_OPTION_TIME_SHIFT);
	struct time_shift *ts = o ? arena_alloc(arena, sizeof(*ts)) : NULL;
	struct byte_reader r;

	if (!ts)
		return NULL;
	r = (struct byte_reader){o->data.data, o->data.data + o->data.len, tf->swap, false};
	ts->peer_id = byte_reader_take_number(&r, 8);
	ts->interpolate = byte_reader_take_number(&r, 4) & 1;
	ts->n_cpus = byte_reader_take_number(&r, 4);
	if (r.failed || ts->n_cpus > byte_reader_left(&r) / 4)
		return NULL;
	ts->cpus = arena_alloc_array(arena, ts->n_cpus + 1, sizeof(*ts->cpus));
	for (uint32_t c = 0; ts->cpus && c < ts->n_cpus; c++) {
		uint32_t n = byte_reader_take_number(&r, 4);
		struct time_sample *s;

		if (n > SAMPLES_MAX || n > byte_reader_left(&r) / 24)
			return NULL;
		s = arena_alloc_array(arena, n + 1, sizeof(*s));
		if (!s)
			return NULL;
		read_column(&r, s, n, offsetof(struct time_sample, time));
		read_column(&r, s, n, offsetof(struct time_sample, offset));
		read_column(&r, s, n, offsetof(struct time_sample, scaling));
		ts->cpus[c].samples = s;
		ts->cpus[c].n = n;
	}
	for (uint32_t c = 0; ts->cpus && c < ts->n_cpus && byte_reader_left(&r); c++)
		read_column(&r, ts->cpus[c].samples, ts->cpus[c].n,
			    offsetof(struct time_sample, fraction));
	for (uint32_t c = 0; ts->cpus && c < ts->n_cpus; c++) {
		struct time_sample *s = ts->cpus[c].samples;
		uint32_t n = 0;

		qsort(s, ts->cpus[c].n, sizeof(*s), sample_compare);
		for (uint32_t i = 0; i < ts->cpus[c].n; i++)
			if (!n || s[i].time != s[n - 1].time)
				s[n++] = s[i];
		ts->cpus[c].n = n;
	}
	return ts->cpus ? ts : NULL;
}

static uint64_t apply_pair(uint64_t ts, const struct time_sample *lo, const struct time_sample *hi,
			   bool interpolate)
{
	int64_t offset = lo->offset, scaling = lo->scaling;

	if (interpolate && hi->time != lo->time) {
		__int128 delta = (__int128)hi->time - lo->time, part;

		/* round half up if the part is positive, as trace-cmd does */
		if (!__builtin_mul_overflow((__int128)(int64_t)ts - lo->time,
					    (__int128)hi->offset - lo->offset, &part) &&
		    !__builtin_add_overflow(part, delta / 2, &part))
			offset = (uint64_t)offset + (uint64_t)(part / delta);
		scaling = ((__int128)lo->scaling + hi->scaling) / 2;
	}
	return ((ts * (uint64_t)scaling) >> (lo->fraction & 63)) + (uint64_t)offset;
}

static uint64_t apply_host(const struct time_shift *h, uint64_t ts, uint32_t cpu)
{
	const struct time_sample *s;
	uint32_t low = 0, high, n;

	if (cpu >= h->n_cpus || !h->cpus[cpu].n)
		return ts;
	s = h->cpus[cpu].samples;
	n = h->cpus[cpu].n;
	if (n == 1)
		return ts + s[0].offset;
	/* find the last pair whose first time is not after ts */
	for (high = n - 2; low < high;) {
		uint32_t mid = (low + high + 1) / 2;

		if (s[mid].time <= (int64_t)ts)
			low = mid;
		else
			high = mid - 1;
	}
	return apply_pair(ts, &s[low], &s[low + 1], h->interpolate);
}

uint64_t timeconv_slow(const struct timeconv *tc, uint64_t ts, uint32_t cpu)
{
	if (tc->raw)
		return ts;
	if (tc->host)
		ts = apply_host(tc->host, ts, cpu);
	if (tc->factor)
		ts = ts * tc->factor < 0x1p64 ? (uint64_t)(ts * tc->factor) : UINT64_MAX;
	else if (tc->mult)
		ts = (uint64_t)(((unsigned __int128)ts * tc->mult) >> (tc->shift & 127));
	return ts + tc->offset;
}
