/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - one event of a trace, found, placed in time and tied to its format; not yet text.
 *
 * Made by sequence.c in time order. Everything that depends on what came before (task names learned,
 * call depth of function events, which exit belongs to which entry) is already resolved in it, so
 * that records can be printed in any order by any thread.
 */
#ifndef SONDE_DECODE_RECORD_H
#define SONDE_DECODE_RECORD_H

#include <stdint.h>

struct event;
struct task;

enum record_flags {
	RECORD_MISSED = 1, /* events were lost before it: extra->missed, 0 = how many is unknown */
	RECORD_PAGE_START = 2, /* first of its sub-buffer */
	RECORD_LATENCY = 4,    /* extra->latency: wakeup to this switch (report -w) */
	RECORD_PAIR = 8,       /* extra->pair: the exit folded into this function entry */
};

struct record_extra {
	int64_t missed;
	uint64_t latency;
	const uint8_t *pair;
	uint32_t pair_size;
	const uint8_t *page; /* the rest is for --debug: the sub-buffer it lies in */
	uint32_t page_len;
	uint32_t delta;	   /* of its own header */
	uint32_t page_pos; /* of its own header */
	uint64_t page_ts, file_offset;
};

struct record {
	uint64_t ts; /* ns, or units of the clock; corrected */
	const uint8_t *data;
	const struct event *event;  /* NULL: the file does not describe this id */
	const struct task *task;    /* NULL only when memory ran out */
	struct record_extra *extra; /* NULL without need */
	uint32_t size;
	uint32_t cpu;
	uint16_t source; /* which file and buffer, index into the sequence's sources */
	uint16_t flags;
	uint32_t aux; /* function events: levels of indentation; raw fields: which are no text */
};

#endif
