// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sample.c - the fields of a sample, and of the end of other records.
 *
 * A sample has the fields that its event asked for (attr.sample_type), in a fixed order. An id
 * names the event: the first word (IDENTIFIER), or a later one (ID), whose place is the same for
 * all events of a file. If there is only one event, the id may be missing.
 *
 * Other records of the kernel end with some of these fields, if attr.sample_id_all is set:
 *
 *	u32 pid, u32 tid   u64 time   u64 id   u64 stream id   u32 cpu, u32 0   u64 identifier
 */
#include "base/map.h"
#include "format/bytes.h"
#include "store/perfdata/perfdata_int.h"

#define TRAILER_BITS                                                                   \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define CHAIN_MAX 65536u

static const struct perfdata_event *event_of_sample(const struct perfdata *pd, struct byte_reader r)
{
	uint64_t bits;
	const struct perfdata_event *e;

	if (!pd->n_events)
		return NULL;
	bits = pd->events[0].attr.sample_type;
	if (!(bits & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return &pd->events[0];
	if (!(bits & PERF_SAMPLE_IDENTIFIER))
		byte_reader_take(
			&r, 8 * __builtin_popcountll(bits & (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							     PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)));
	e = perfdata_event_of(pd, byte_reader_take_number(&r, 8));
	return e || pd->n_events > 1 ? e : &pd->events[0];
}

/* The values of counters: one, or those of a group. */
static struct piece take_read(struct byte_reader *r, uint64_t format)
{
	const uint8_t *start = r->pos;
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP) {
		uint64_t n = byte_reader_take_number(r, 8);

		byte_reader_take(r, n < UINT16_MAX ? 8 * (times + n * each) : UINT64_MAX);
	} else {
		byte_reader_take(r, 8 * (times + each));
	}
	return r->failed ? PIECE_EMPTY : (struct piece){start, (size_t)(r->pos - start)};
}

static void take_first(struct byte_reader *r, uint64_t bits, struct perfdata_sample *s)
{
	if (bits & PERF_SAMPLE_IDENTIFIER)
		s->id = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_IP)
		s->ip = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_TID) {
		s->pid = (int32_t)byte_reader_take_number(r, 4);
		s->tid = (int32_t)byte_reader_take_number(r, 4);
	}
	if (bits & PERF_SAMPLE_TIME)
		s->time_ns = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_ADDR)
		s->addr = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_ID)
		s->id = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_STREAM_ID)
		s->stream_id = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_CPU) {
		s->cpu = (int32_t)byte_reader_take_number(r, 4);
		byte_reader_take(r, 4);
	}
	if (bits & PERF_SAMPLE_PERIOD)
		s->period = byte_reader_take_number(r, 8);
}

static struct piece take_list(struct byte_reader *r, uint64_t n, size_t each, uint64_t max)
{
	return byte_reader_take_piece(r, n <= max ? n * each : UINT64_MAX);
}

static void take_branches(struct byte_reader *r, const struct perf_event_attr *attr,
			  struct perfdata_sample *s)
{
	s->n_branches = byte_reader_take_number(r, 8);
	if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		byte_reader_take(r, 8);
	s->branches = take_list(r, s->n_branches, 24, CHAIN_MAX);
}

/* The copy of registers and of the stack of the user. */
static void take_user(struct byte_reader *r, const struct perf_event_attr *attr,
		      struct perfdata_sample *s)
{
	if (attr->sample_type & PERF_SAMPLE_REGS_USER) {
		s->regs_abi = byte_reader_take_number(r, 8);
		if (s->regs_abi)
			s->regs = take_list(r, __builtin_popcountll(attr->sample_regs_user), 8, 64);
	}
	if (attr->sample_type & PERF_SAMPLE_STACK_USER) {
		uint64_t n = byte_reader_take_number(r, 8), n_filled;

		s->stack = byte_reader_take_piece(r, n);
		n_filled = n ? byte_reader_take_number(r, 8) : 0;
		if (n_filled < s->stack.len)
			s->stack.len = n_filled;
	}
}

static void take_rest(struct byte_reader *r, const struct perf_event_attr *attr,
		      struct perfdata_sample *s)
{
	uint64_t bits = attr->sample_type;

	if (bits & PERF_SAMPLE_READ)
		s->read = take_read(r, attr->read_format);
	if (bits & PERF_SAMPLE_CALLCHAIN)
		s->chain = take_list(r, byte_reader_take_number(r, 8), 8, CHAIN_MAX);
	if (bits & PERF_SAMPLE_RAW)
		s->raw = byte_reader_take_piece(r, byte_reader_take_number(r, 4));
	if (bits & PERF_SAMPLE_RAW) /* length and bytes together are whole words */
		byte_reader_take(r, -(s->raw.len + 4) & 7);
	if (bits & PERF_SAMPLE_BRANCH_STACK)
		take_branches(r, attr, s);
	take_user(r, attr, s);
	if (bits & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		s->weight = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_DATA_SRC)
		s->data_src = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_TRANSACTION)
		s->transaction = byte_reader_take_number(r, 8);
	if (bits & PERF_SAMPLE_REGS_INTR && byte_reader_take_number(r, 8))
		byte_reader_take(r, 8 * __builtin_popcountll(attr->sample_regs_intr));
	if (bits & PERF_SAMPLE_PHYS_ADDR)
		s->phys_addr = byte_reader_take_number(r, 8);
}

int perfdata_parse_sample(const struct perfdata *pd, const struct perfdata_record *rec,
			  struct perfdata_sample *ret)
{
	struct piece body = perfdata_body(rec);
	struct byte_reader r = {body.data, body.data + body.len, false, false};
	const struct perfdata_event *e = event_of_sample(pd, r);
	struct perfdata_sample s = {.event = e,
				    .pid = -1,
				    .tid = -1,
				    .cpu = -1,
				    .misc = perfdata_misc(rec),
				    .read = PIECE_EMPTY,
				    .chain = PIECE_EMPTY,
				    .raw = PIECE_EMPTY,
				    .branches = PIECE_EMPTY,
				    .regs = PIECE_EMPTY,
				    .stack = PIECE_EMPTY};

	if (!e)
		return -EBADMSG;
	s.period = e->attr.sample_period; /* if it is not in the sample, it does not change */
	take_first(&r, e->attr.sample_type, &s);
	take_rest(&r, &e->attr, &s);
	if (r.failed)
		return -EBADMSG;
	if (s.cpu < 0 && s.id)
		s.cpu = (int32_t)(uintptr_t)map_find(&pd->cpu_of_id, s.id) - 1;
	*ret = s;
	return 0;
}

static void skip_times(struct byte_reader *r, uint64_t format)
{
	byte_reader_take(r, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0);
	byte_reader_take(r, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0);
}

/* A group: number, times, values. One event: value, times. A value may have an id and losses. */
int perfdata_each_value(const struct perfdata_sample *s,
			int (*visit)(void *ctx, const struct perfdata_read_value *v), void *ctx)
{
	struct byte_reader r = {s->read.data, s->read.data + s->read.len, false, false};
	uint64_t format = s->event->attr.read_format, n = 1;
	bool is_group = format & PERF_FORMAT_GROUP;

	if (!s->read.len)
		return 0;
	if (is_group) {
		n = byte_reader_take_number(&r, 8);
		skip_times(&r, format);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct perfdata_read_value v = {.id = s->id};
		int result;

		v.value = byte_reader_take_number(&r, 8);
		if (!is_group)
			skip_times(&r, format);
		if (format & PERF_FORMAT_ID)
			v.id = byte_reader_take_number(&r, 8);
		if (format & PERF_FORMAT_LOST)
			byte_reader_take(&r, 8);
		if (r.failed)
			return 0;
		result = visit(ctx, &v);
		if (result < 0)
			return result;
	}
	return 0;
}

void perfdata_parse_trailer(const struct perfdata *pd, const uint8_t *record,
			    struct perfdata_trailer *ret)
{
	size_t n_record = bytes_get16(record + 6, false);
	const struct perfdata_event *e = pd->n_events ? &pd->events[0] : NULL;
	struct byte_reader r = {NULL, record + n_record, false, false};
	uint64_t bits;

	*ret = (struct perfdata_trailer){.pid = -1, .tid = -1, .cpu = -1};
	if (!e || !e->attr.sample_id_all)
		return;
	if (e->attr.sample_type & PERF_SAMPLE_IDENTIFIER && n_record >= SNF_PERF_RECORD_HEAD + 8) {
		ret->id = bytes_get64(record + n_record - 8, false);
		if (perfdata_event_of(pd, ret->id))
			e = perfdata_event_of(pd, ret->id);
	}
	bits = e->attr.sample_type & TRAILER_BITS;
	ret->n_bytes = 8 * (size_t)__builtin_popcountll(bits);
	if (n_record < SNF_PERF_RECORD_HEAD + ret->n_bytes) {
		ret->n_bytes = 0;
		return;
	}
	ret->event = e;
	r.pos = r.end - ret->n_bytes;
	if (bits & PERF_SAMPLE_TID) {
		ret->pid = (int32_t)byte_reader_take_number(&r, 4);
		ret->tid = (int32_t)byte_reader_take_number(&r, 4);
	}
	if (bits & PERF_SAMPLE_TIME)
		ret->time_ns = byte_reader_take_number(&r, 8);
	if (bits & PERF_SAMPLE_ID)
		ret->id = byte_reader_take_number(&r, 8);
	if (bits & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = byte_reader_take_number(&r, 8);
	if (bits & PERF_SAMPLE_CPU)
		ret->cpu = (int32_t)byte_reader_take_number(&r, 4);
}
