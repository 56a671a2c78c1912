/* SPDX-License-Identifier: GPL-2.0-or-later */
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
	RECORD_MISSED = 1,     /* events were lost before it: extra->missed, 0: unknown number */
	RECORD_PAGE_START = 2, /* first of its sub-buffer */
	RECORD_LATENCY = 4,    /* extra->latency: wakeup to this switch (report -w) */
	RECORD_PAIR = 8,       /* extra->pair: the exit folded into this function entry */
};

struct record_extra {
	int64_t missed;
	uint64_t latency;
	const uint8_t *pair;
	uint32_t pair_size;
	const uint8_t *page; /* the rest is for --debug: its sub-buffer */
	uint32_t page_len;
	uint32_t delta;	   /* of its own header */
	uint32_t page_pos; /* of its own header */
	uint64_t page_ts, file_offset;
};

struct record {
	uint64_t ts; /* ns, or units of the clock; corrected */
	const uint8_t *data;
	const struct event *event;  /* NULL: the file does not describe this id */
	const struct task *task;    /* NULL only if memory ran out */
	struct record_extra *extra; /* NULL if not needed */
	uint32_t size;
	uint32_t cpu;
	uint16_t source; /* file and buffer: index of the sequence's source */
	uint16_t flags;
	uint32_t aux; /* function events: indentation; raw fields: which are not text */
};

#endif
