// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timesync_ptp.c - measures the difference of two clocks with messages in both directions.
 *
 *	guest                                          host
 *	START series, flags ─▶                         ◀─ START, the same
 *	339 times:  mark s(i); PROBE i ─▶              mark r(i);  ◀─ PROBE i
 *	            mark r(i)
 *	END ─▶                                         ◀─ PROBES: the times of its marks
 *	OFFSET time, offset ─▶
 *
 * The guest knows when it sent a probe (s), when the host received it (r of the host) and when the
 * answer arrived (r). If both directions took the same time, the host's mark corresponds to the
 * middle between the guest's two marks. The fastest probe is used, because it has the smallest
 * error. All numbers are big-endian.
 *
 * Flag 1: use the fastest probe. Flag 2: times are those of marks in a trace buffer, else of
 * CLOCK_MONOTONIC_RAW.
 */
#include "format/bytes.h"
#include "store/guestopts.h"
#include "wire/sync/timesync_int.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define PROTO	     "ptp"
#define PROBES	     339
#define FLAG_FASTEST 1
#define FLAG_MARKERS 2
#define SPAN_MIN     200000 /* a shorter span does not show the frequency of a clock */

enum { STEP_START = 1, STEP_PROBE, STEP_PROBES, STEP_OFFSET, STEP_END };

/* Times of probe 1 … PROBES; 0: unknown. */
struct times {
	uint64_t sent[PROBES], received[PROBES];
	uint32_t series;
};

struct mark {
	uint32_t series, number, kind; /* 's' or 'r' */
};

static void put_be(uint8_t *to, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = v >> (8 * (n - 1 - i));
}

static struct byte_reader reader_of(struct piece p)
{
	return (struct byte_reader){p.data, p.data + p.len, !bytes_host_is_big(), false};
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void keep_time(struct times *t, const struct mark *m, uint64_t ts)
{
	if (m->series != t->series || !m->number || m->number > PROBES)
		return;
	if (m->kind == 's')
		t->sent[m->number - 1] = ts;
	else if (m->kind == 'r')
		t->received[m->number - 1] = ts;
}

static int note(struct times *t, const struct sync_clock *clock, uint32_t flags, uint32_t number,
		uint32_t kind)
{
	struct mark m = {t->series, number, kind};

	if (flags & FLAG_MARKERS)
		return clock->mark(clock->ctx, &m, sizeof(m));
	keep_time(t, &m, now_ns());
	return 0;
}

static void take_mark(void *arg, uint64_t ts, struct piece data)
{
	struct mark m;

	if (data.len < sizeof(m))
		return;
	memcpy(&m, data.data, sizeof(m));
	keep_time(arg, &m, ts);
}

static int write_number(struct channel *c, uint32_t step, uint32_t number, struct errmsg *err)
{
	uint8_t bytes[4];

	put_be(bytes, number, 4);
	return sync_write(c, PROTO, step, (struct piece){bytes, 4}, err);
}

static int read_step(struct channel *c, uint32_t step, struct message_sync *ret, struct errmsg *err)
{
	TRY(sync_read(c, PROTO, ret, err));
	if (ret->id != step)
		return errmsg_set(err, -EPROTO, "received step %u of ptp instead of %u", ret->id,
				  step);
	return 0;
}

static int start(struct channel *c, uint32_t series, uint32_t flags, struct errmsg *err)
{
	uint8_t bytes[8];

	put_be(bytes, series, 4);
	put_be(bytes + 4, flags, 4);
	return sync_write(c, PROTO, STEP_START, (struct piece){bytes, 8}, err);
}

/*
 * --- the guest asks ----------------------------------------------------------------------------
 */

static int send_probes(struct channel *c, const struct sync_clock *clock, struct times *t,
		       uint32_t flags, struct errmsg *err)
{
	for (uint32_t i = 1; i <= PROBES; i++) {
		struct message_sync m;
		struct byte_reader b;

		TRY(note(t, clock, flags, i, 's'));
		TRY(write_number(c, STEP_PROBE, i, err));
		TRY(read_step(c, STEP_PROBE, &m, err));
		TRY(note(t, clock, flags, i, 'r'));
		b = reader_of(m.payload);
		if (byte_reader_take_number(&b, 4) != i)
			return errmsg_set(err, -EPROTO, "the host answers another probe");
	}
	return sync_write(c, PROTO, STEP_END, PIECE_EMPTY, err);
}

/* The first and the last probe, by each clock. */
struct span {
	uint64_t sent, received, last_sent, last_received, theirs, last_theirs;
};

static void span_add(struct span *s, uint64_t sent, uint64_t received, uint64_t theirs)
{
	if (!s->sent) {
		s->sent = sent;
		s->received = received;
		s->theirs = theirs;
	}
	s->last_sent = sent;
	s->last_received = received;
	s->last_theirs = theirs;
}

/*
 * Returns true if both clocks count in the same unit. trace-cmd's host marks with the clock "local"
 * unless -C names one, but requests that we record with the processor's counter if it could convert
 * that. The difference of such numbers is meaningless. The host marked somewhere between `sent` and
 * `received`, which is a long time if one of the two programs had to wait for a CPU.
 */
static bool span_is_of_one_kind(const struct span *s)
{
	double least = (double)s->last_sent - s->received, most = s->last_received - s->sent,
	       theirs = s->last_theirs - s->theirs;

	return most < SPAN_MIN || (theirs > least * 0.8 && theirs < most * 1.25);
}

static int choose(const struct times *t, struct piece theirs, struct sync_sample *ret)
{
	struct byte_reader b = reader_of(theirs);
	uint64_t best = UINT64_MAX;
	struct span span = {0};
	uint32_t n;

	byte_reader_take_number(&b, 4);
	n = byte_reader_take_number(&b, 4);
	for (uint32_t i = 0; i < n && i < PROBES; i++) {
		uint64_t ts = byte_reader_take_number(&b, 8), id = byte_reader_take_number(&b, 4),
			 way = t->received[i] - t->sent[i];

		if (b.failed)
			break;
		if (!ts || id != i + 1 || !t->sent[i] || !t->received[i])
			continue;
		span_add(&span, t->sent[i], t->received[i], ts);
		if (way >= best)
			continue;
		best = way;
		ret->time = t->sent[i] + way / 2;
		ret->offset = ts - ret->time;
	}
	if (span_is_of_one_kind(&span))
		return best == UINT64_MAX ? -ENODATA : 0;
	*ret = (struct sync_sample){0};
	return -EDOM;
}

int ptp_ask(struct channel *c, const struct sync_clock *clock, uint32_t series, struct errmsg *err)
{
	uint32_t flags = FLAG_FASTEST | FLAG_MARKERS;
	SCOPED(scope_free) struct times *t = calloc(1, sizeof(*t));
	struct sync_sample sample = {0};
	struct message_sync m;
	uint8_t bytes[16];

	if (!t)
		return errmsg_set_errno(err, -ENOMEM, "no time sync");
	TRY(start(c, series, flags, err));
	TRY(read_step(c, STEP_START, &m, err));
	TRY(clock->clear(clock->ctx));
	t->series = series;
	TRY(send_probes(c, clock, t, flags, err));
	TRY(read_step(c, STEP_PROBES, &m, err));
	TRY(clock->read(clock->ctx, take_mark, t));
	/*
	 * Without a good probe both numbers are 0, which the host ignores. Do not end: the host
	 * would see a closed connection.
	 */
	if (choose(t, m.payload, &sample) == -EDOM)
		errmsg_set(err, -EDOM,
			   "the host marks its times with another clock than it records with: "
			   "name one there with -C");
	put_be(bytes, sample.time, 8);
	put_be(bytes + 8, sample.offset, 8);
	return sync_write(c, PROTO, STEP_OFFSET, (struct piece){bytes, 16}, err);
}

/*
 * --- the host answers --------------------------------------------------------------------------
 */

/* Answers probes until END. */
static int answer_probes(struct channel *c, const struct sync_clock *clock, struct times *t,
			 uint32_t flags, struct errmsg *err)
{
	for (uint32_t i = 0; i <= 2 * PROBES; i++) {
		struct message_sync m;
		struct byte_reader b;
		uint32_t number;

		TRY(sync_read(c, PROTO, &m, err));
		if (m.id == STEP_END)
			return 0;
		b = reader_of(m.payload);
		number = byte_reader_take_number(&b, 4);
		if (m.id != STEP_PROBE || b.failed)
			return errmsg_set(err, -EPROTO,
					  "received step %u of ptp instead of a probe", m.id);
		TRY(note(t, clock, flags, number, 'r'));
		TRY(write_number(c, STEP_PROBE, number, err));
	}
	return errmsg_set(err, -EPROTO, "the guest does not stop probing");
}

/* Sends as many samples as trace-cmd's message has room for, although half of them stay empty. */
static int send_times(struct channel *c, const struct times *t, struct errmsg *err)
{
	uint8_t bytes[8 + 2 * PROBES * 12] = {0};

	put_be(bytes, t->series, 4);
	put_be(bytes + 4, PROBES, 4);
	for (uint32_t i = 0; i < PROBES; i++) {
		put_be(bytes + 8 + 12 * i, t->received[i], 8);
		put_be(bytes + 16 + 12 * i, t->received[i] ? i + 1 : 0, 4);
	}
	return sync_write(c, PROTO, STEP_PROBES, (struct piece){bytes, sizeof(bytes)}, err);
}

int ptp_answer(struct channel *c, const struct sync_clock *clock, struct sync_sample *ret,
	       struct errmsg *err)
{
	SCOPED(scope_free) struct times *t = calloc(1, sizeof(*t));
	struct message_sync m;
	struct byte_reader b;
	uint32_t flags;

	if (!t)
		return errmsg_set_errno(err, -ENOMEM, "no time sync");
	TRY(read_step(c, STEP_START, &m, err));
	b = reader_of(m.payload);
	t->series = byte_reader_take_number(&b, 4);
	flags = byte_reader_take_number(&b, 4);
	if (flags & FLAG_MARKERS)
		TRY(clock->clear(clock->ctx));
	TRY(start(c, t->series, flags, err));
	TRY(answer_probes(c, clock, t, flags, err));
	if (flags & FLAG_MARKERS)
		TRY(clock->read(clock->ctx, take_mark, t));
	TRY(send_times(c, t, err));
	TRY(read_step(c, STEP_OFFSET, &m, err));
	b = reader_of(m.payload);
	*ret = (struct sync_sample){.scaling = 1};
	ret->time = byte_reader_take_number(&b, 8);
	ret->offset = byte_reader_take_number(&b, 8);
	return b.failed ? errmsg_set(err, -EPROTO, "the guest's result is truncated") : 0;
}
