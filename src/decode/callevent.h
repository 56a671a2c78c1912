/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callevent.h - reads the events of function calls and returns, of programs and of the kernel.
 *
 *	user:user_entry, ftrace:funcgraph_entry    CALL_ENTER
 *	user:user_exit, ftrace:funcgraph_exit      CALL_LEAVE
 *	user:user_call                             CALL_WHOLE, at the time of its beginning
 *
 * Calls that were recorded with arguments or a return value have events of their own, with texts:
 *
 *	user:user_entry_args    args "3, \"name\""         user:user_call_args     args
 *	user:user_exit_value    ret "7"                    user:user_call_value    args, ret
 *
 * All code that processes calls finds these events here: times of functions, call graphs, replays,
 * lanes of the viewer. A new source of calls is a row of the table in callevent.c.
 *
 * After call_kinds_init() any thread may read.
 */
#ifndef SONDE_DECODE_CALLEVENT_H
#define SONDE_DECODE_CALLEVENT_H

#include "decode/formats/event.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct formats;

enum call_step {
	CALL_NOT,   /* another kind of event */
	CALL_ENTER, /* a call begins */
	CALL_LEAVE, /* a call returns */
	CALL_WHOLE, /* a call that calls no other recorded function, with its duration */
};

struct call_event {
	/*
	 * an address; functions of programs have an invented address, which the file's symbols name
	 */
	uint64_t func;
	uint64_t duration; /* valid if has_duration; ns, or units of the clock */
	/* nesting depth in the task, from 0; programs and the kernel are counted separately */
	uint32_t depth;
	bool has_duration;
};

/*
 * Where a number is in the bytes of a record. Size 0 means that the event does not have the number.
 */
struct call_number {
	uint16_t offset, size;
};

/* How to read the records of one event. */
struct call_kind {
	const struct event *event;
	enum call_step step;
	bool is_user; /* the function belongs to a program, not to the kernel */
	bool swap;
	/*
	 * func, depth and, for CALL_WHOLE, duration have four bytes in this machine's byte order,
	 * and there are no other numbers
	 */
	bool is_plain;
	uint16_t plain_size; /* minimum size of a record for is_plain */
	struct call_number func, depth, duration, from, to;
	struct call_number args, ret; /* __data_loc: where the texts are */
};

/* Arguments and return value of a call, as texts in C's manner; they lie in the record. */
struct call_values {
	bool has_args, has_ret;
	struct piece args; /* "3, \"name\", {x=1, y=2}"; empty: none */
	struct piece ret;  /* "7" */
};

#define CALL_KINDS_MAX 11
#define CALL_IDS       65536 /* number of event ids: a record has two bytes for the id */

struct call_kinds {
	struct call_kind rows[CALL_KINDS_MAX]; /* the first is CALL_NOT */
	size_t n;
	/* the file describes such events, although it may contain none of them */
	bool has_user, has_kernel;
	uint8_t by_id[CALL_IDS];
};

/* Finds the events of a file. */
void call_kinds_init(struct call_kinds *ck, struct formats *f);
/*
 * Finds the step of an event without struct call_kinds. Returns CALL_NOT for an event that is not a
 * call.
 */
enum call_step call_event_step(const struct event *ev, bool *ret_is_user);
/* Returns true for a call event with arguments or a return value. */
bool call_event_has_values(const struct event *ev);
/* Learns how to read one event. Returns false for an event that is not a call. */
bool call_kind_init(struct call_kind *k, const struct event *ev, bool swap);

/*
 * Reads the values of a call. Returns false if the record has neither arguments nor a return value.
 * *ret is set in any case.
 */
bool call_values_read(const struct call_kind *k, const uint8_t *data, uint32_t size,
		      struct call_values *ret);
/*
 * Takes the next argument from the front of *rest, without the comma after it. Commas in quotes and
 * brackets separate nothing. Returns false if there are no more arguments.
 */
bool call_values_next(struct piece *rest, struct piece *ret_value);

/* Never returns NULL: for other events the step is CALL_NOT. */
static inline const struct call_kind *call_kinds_find(const struct call_kinds *ck, int id)
{
	return &ck->rows[(unsigned)id < CALL_IDS ? ck->by_id[id] : 0];
}

static inline bool call_number_read(const struct call_kind *k, struct call_number at,
				    const uint8_t *data, uint32_t size, uint64_t *ret)
{
	if (!at.size || (uint32_t)at.offset + at.size > size)
		return false;
	*ret = bytes_get(data + at.offset, at.size, k->swap);
	return true;
}

/* For is_plain, if the record has plain_size. */
static inline void call_kind_read_plain(const struct call_kind *k, const uint8_t *data,
					struct call_event *ret)
{
	ret->func = bytes_get32(data + k->func.offset, false);
	ret->depth = bytes_get32(data + k->depth.offset, false);
	ret->has_duration = k->duration.size;
	ret->duration = k->duration.size ? bytes_get32(data + k->duration.offset, false) : 0;
}

/* Returns false if the record is too short to name a function. */
static inline bool call_kind_read(const struct call_kind *k, const uint8_t *data, uint32_t size,
				  struct call_event *ret)
{
	uint64_t depth = 0, from, to;

	if (__builtin_expect(k->is_plain && size >= k->plain_size, 1)) {
		call_kind_read_plain(k, data, ret);
		return true;
	}
	ret->duration = 0;
	if (!call_number_read(k, k->func, data, size, &ret->func))
		return false;
	call_number_read(k, k->depth, data, size, &depth);
	ret->depth = (uint32_t)depth;
	ret->has_duration = call_number_read(k, k->duration, data, size, &ret->duration);
	if (!ret->has_duration && call_number_read(k, k->from, data, size, &from) &&
	    call_number_read(k, k->to, data, size, &to)) {
		ret->duration = to > from ? to - from : 0;
		ret->has_duration = true;
	}
	return true;
}

#endif
