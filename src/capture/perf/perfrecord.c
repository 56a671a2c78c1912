// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfrecord.c - the layout of the records of perf events (perf_event_open(2)).
 *
 * A sample has the fields that its event asked for, in a fixed order, each a multiple of 8 bytes:
 *
 *	IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW BRANCH_STACK
 *	REGS_USER STACK_USER …
 *
 * So the id and the time are at fixed places, and the rest is found by walking. Fields behind
 * STACK_USER are never asked for.
 */
#include "capture/perf/perfrecord.h"

#include <string.h>

#define ID_AT	8
#define TIME_AT 32

/* The rest of a record. */
struct rest {
	const uint8_t *at;
	size_t n_bytes;
	bool is_bad;
};

static const void *take(struct rest *r, size_t n_bytes)
{
	const void *at = r->at;

	if (n_bytes > r->n_bytes) {
		r->is_bad = true;
		return NULL;
	}
	r->at += n_bytes;
	r->n_bytes -= n_bytes;
	return at;
}

static uint64_t take_u64(struct rest *r)
{
	const void *at = take(r, 8);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, 8);
	return v;
}

static void take_two(struct rest *r, uint32_t *first, uint32_t *second)
{
	const uint8_t *at = take(r, 8);

	if (!at)
		return;
	memcpy(first, at, 4);
	memcpy(second, at + 4, 4);
}

/* n items of `each` bytes, n being the next word. */
static const void *take_list(struct rest *r, size_t each, size_t *ret_n)
{
	uint64_t n = take_u64(r);
	const void *at;

	*ret_n = 0;
	if (n > r->n_bytes / each) {
		r->is_bad = true;
		return NULL;
	}
	at = take(r, n * each);
	*ret_n = n;
	return at;
}

static struct rest rest_of(const struct perf_event_header *header)
{
	size_t n_bytes = header->size < sizeof(*header) ? 0 : header->size - sizeof(*header);

	return (struct rest){(const uint8_t *)(header + 1), n_bytes, false};
}

/* Of records that are no samples: without the trailer. */
static struct rest body_of(const struct perf_event_header *header)
{
	struct rest r = rest_of(header);

	if (r.n_bytes < PERFRECORD_TRAILER_BYTES)
		r.n_bytes = 0;
	else
		r.n_bytes -= PERFRECORD_TRAILER_BYTES;
	return r;
}

uint64_t perfrecord_time(const struct perf_event_header *header)
{
	size_t at = header->type == PERF_RECORD_SAMPLE ? TIME_AT : header->size - 24u;
	uint64_t time;

	if (header->size < sizeof(*header) + PERFRECORD_TRAILER_BYTES)
		return 0;
	memcpy(&time, (const uint8_t *)header + at, 8);
	return time;
}

uint64_t perfrecord_id(const struct perf_event_header *header)
{
	uint64_t id;

	if (header->size < ID_AT + 8)
		return 0;
	memcpy(&id, (const uint8_t *)header + ID_AT, 8);
	return id;
}

/* Values of counters: of one, or of a group. */
static void take_read(struct rest *r, uint64_t format, struct piece *ret)
{
	const uint8_t *start = r->at;
	size_t n_words = 0;
	uint64_t n = 1;
	size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP)
		n = take_u64(r);
	if (n > r->n_bytes / 8) {
		r->is_bad = true;
		return;
	}
	n_words = n * each + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		  !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (take(r, n_words * 8))
		*ret = (struct piece){start, (size_t)(r->at - start)};
}

static void take_raw(struct rest *r)
{
	const void *at = take(r, 4);
	uint32_t n_bytes = 0;

	if (at)
		memcpy(&n_bytes, at, 4);
	take(r, n_bytes);
}

static void take_branches(struct rest *r, uint64_t branch_type, struct perfrecord_sample *s)
{
	uint64_t n = take_u64(r);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_u64(r);
	if (n > r->n_bytes / sizeof(struct perf_branch_entry)) {
		r->is_bad = true;
		return;
	}
	s->branches = take(r, n * sizeof(struct perf_branch_entry));
	s->n_branches = n;
}

/* The copy of the stack, of which the last word says how much is valid. */
static void take_stack(struct rest *r, struct perfrecord_sample *s)
{
	size_t n = 0;
	const uint8_t *bytes = take_list(r, 1, &n);
	uint64_t valid = n ? take_u64(r) : 0;

	if (bytes && valid <= n)
		s->stack = (struct piece){bytes, valid};
}

bool perfrecord_read_sample(const struct perf_event_header *header,
			    const struct perfrecord_shape *shape, struct perfrecord_sample *ret)
{
	struct rest r = rest_of(header);
	uint64_t type = shape->sample_type;
	uint32_t zero;

	*ret = (struct perfrecord_sample){0};
	ret->id = take_u64(&r);
	ret->ip = take_u64(&r);
	take_two(&r, &ret->pid, &ret->tid);
	ret->time = take_u64(&r);
	if (type & PERF_SAMPLE_ADDR)
		take_u64(&r);
	if (type & PERF_SAMPLE_ID)
		take_u64(&r);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(&r);
	take_two(&r, &ret->cpu, &zero);
	ret->period = take_u64(&r);
	if (type & PERF_SAMPLE_READ)
		take_read(&r, shape->read_format, &ret->read);
	if (type & PERF_SAMPLE_CALLCHAIN)
		ret->chain = take_list(&r, 8, &ret->n_chain);
	if (type & PERF_SAMPLE_RAW)
		take_raw(&r);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(&r, shape->branch_sample_type, ret);
	if (type & PERF_SAMPLE_REGS_USER) {
		ret->regs_abi = take_u64(&r);
		if (ret->regs_abi)
			ret->regs = take(&r, shape->n_user_regs * 8ul);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&r, ret);
	return header->type == PERF_RECORD_SAMPLE && !r.is_bad;
}

bool perfrecord_read_map(const struct perf_event_header *header, struct perfrecord_map *ret)
{
	struct rest r = body_of(header);
	const uint8_t *place;
	uint32_t flags;

	*ret = (struct perfrecord_map){0};
	take_two(&r, &ret->pid, &ret->tid);
	ret->start = take_u64(&r);
	ret->n_bytes = take_u64(&r);
	ret->file_offset = take_u64(&r);
	place = take(&r, 24);
	if (!place || header->type != PERF_RECORD_MMAP2)
		return false;
	/*
	 * PERF_RECORD_MISC_MMAP_BUILD_ID does not count: sonde never asks for a build id, and the
	 * kernel sets it here if another program does.
	 */
	memcpy(&ret->major, place, 4);
	memcpy(&ret->minor, place + 4, 4);
	memcpy(&ret->inode, place + 8, 8);
	memcpy(&ret->generation, place + 16, 8);
	take_two(&r, &ret->prot, &flags);
	ret->path = (const char *)r.at;
	return !r.is_bad && memchr(r.at, 0, r.n_bytes);
}

bool perfrecord_read_task(const struct perf_event_header *header, struct perfrecord_task *ret)
{
	struct rest r = body_of(header);

	take_two(&r, &ret->pid, &ret->parent);
	take_two(&r, &ret->tid, &ret->parent_tid);
	return !r.is_bad && (header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT);
}

const char *perfrecord_read_comm(const struct perf_event_header *header, uint32_t *ret_pid,
				 uint32_t *ret_tid)
{
	struct rest r = body_of(header);

	take_two(&r, ret_pid, ret_tid);
	return !r.is_bad && header->type == PERF_RECORD_COMM && memchr(r.at, 0, r.n_bytes)
		       ? (const char *)r.at
		       : NULL;
}

uint64_t perfrecord_read_lost(const struct perf_event_header *header)
{
	struct rest r = body_of(header);

	if (header->type == PERF_RECORD_LOST)
		take_u64(&r); /* the id */
	return take_u64(&r);
}

bool perfrecord_read_trailer(const struct perf_event_header *header, struct perfrecord_trailer *ret)
{
	struct rest r = rest_of(header);
	uint32_t zero;

	if (r.n_bytes < PERFRECORD_TRAILER_BYTES || header->type == PERF_RECORD_SAMPLE)
		return false;
	take(&r, r.n_bytes - PERFRECORD_TRAILER_BYTES);
	take_two(&r, &ret->pid, &ret->tid);
	ret->time = take_u64(&r);
	take_two(&r, &ret->cpu, &zero);
	ret->id = take_u64(&r);
	return true;
}
