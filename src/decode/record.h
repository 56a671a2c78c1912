/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * record.h - one event of a trace, with its time and its format; not yet text.
 *
 * sequence.c makes records in time order. Everything that depends on earlier records (learned task
 * names, call depth of function events, which exit belongs to which entry) is already resolved, so
 * that any thread can print records in any order.
 */
#ifndef SONDE_DECODE_RECORD_H
#define SONDE_DECODE_RECORD_H

#include <stdint.h>

struct event;
struct task;

enum record_flags {
	/* events were lost before this record: extra->missed, 0: unknown number */
	RECORD_MISSED = 1,
	RECORD_PAGE_START = 2, /* the record is the first of its sub-buffer */
	/* extra->latency is the time from the wakeup to this switch (report -w) */
	RECORD_LATENCY = 4,
	RECORD_PAIR = 8, /* extra->pair is the exit folded into this function entry */
};

struct record_extra {
	int64_t missed;
	uint64_t latency;
	const uint8_t *pair;
	uint32_t pair_size;
	const uint8_t *page; /* the sub-buffer; this and the rest is for --debug */
	uint32_t page_len;
	uint32_t delta;	   /* delta in the record's header */
	uint32_t page_pos; /* position of the record's header */
	uint64_t page_ts, file_offset;
};

struct record {
	uint64_t ts; /* corrected time, in ns or units of the clock */
	const uint8_t *data;
	const struct event *event;  /* NULL: the file does not describe this id */
	const struct task *task;    /* NULL only if memory ran out */
	struct record_extra *extra; /* NULL if not needed */
	uint32_t size;
	uint32_t cpu;
	uint16_t source; /* file and buffer: index of the sequence's source */
	uint16_t flags;
	/* function events: indentation; raw fields: mask of fields that are not text */
	uint32_t aux;
};

#endif
