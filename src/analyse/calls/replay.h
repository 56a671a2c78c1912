/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * replay.h - calls in the order of time, one item for each line of a listing: a call begins, a call
 * ends, a call without anything inside, an event of the kernel.
 *
 *	replay_new ─▶ replay_add … (in the order of time) ─▶ replay_finish ─▶ replay_free
 *
 * Items come out through a callback, in the order of their times. Memory is bounded: items wait
 * only until it is certain whether a call has something inside, and with a filter by duration or by
 * callees whether it is shown at all. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLS_REPLAY_H
#define SONDE_ANALYSE_CALLS_REPLAY_H

#include "analyse/calls/callflow.h"
#include "base/scope.h"
#include "decode/record.h"

struct replay;
struct errmsg;

enum replay_kind {
	REPLAY_ENTER, /* name() { */
	REPLAY_LEAVE, /* } */
	REPLAY_LEAF,  /* name(); */
	REPLAY_EVENT, /* an event that is not about calls */
	REPLAY_BACK,  /* the task runs again; duration: since it was switched out */
	REPLAY_LOST,  /* events were lost; n_lost, 0: an unknown number */
	REPLAY_OPEN, /* at the end of the trace: has not returned; duration: until its last event */
};

struct replay_item {
	enum replay_kind kind;
	bool has_duration;
	bool is_before, is_after; /* of the range: the call began, or ended */
	uint64_t ts, duration;	  /* duration: also the time outside of the range */
	uint64_t n_lost;
	const struct flow_func *func; /* NULL: none, or unknown */
	const struct flow_task *task; /* NULL: of no task */
	uint32_t level;		      /* calls around it that are shown */
	uint32_t cpu;
	struct record *record; /* REPLAY_EVENT: valid during the callback */
	/*
	 * As recorded, "3, \"name\"" and "7" (decode/callevent.h splits them); NULL: not recorded.
	 * args belong to REPLAY_ENTER and REPLAY_LEAF, ret to REPLAY_LEAF and REPLAY_LEAVE; ENTER
	 * may have it, too. Valid during the callback.
	 */
	char *args, *ret;
};

struct replay_config {
	const struct callfilter *filter; /* NULL: all */
	bool with_own;
	bool no_merge;	   /* REPLAY_LEAF never; a call has two items */
	bool no_events;	   /* only calls */
	bool all_events;   /* also those outside of calls */
	bool no_values;	   /* no arguments, no return values */
	bool no_calls;	   /* a trace without calls is fine; its events are items */
	bool by_address;   /* as in callflow_config */
	uint64_t from, to; /* only this time, as in callflow_config; to 0: all */
	const int *tids;   /* only these tasks; none: all */
	size_t n_tids;
	void *ctx;
	void (*emit)(void *ctx, const struct replay_item *item);
};

/* config must stay valid. -ENOENT with a message: the trace has no events about calls. */
int replay_new(struct replay **ret, struct formats *f, const struct replay_config *config,
	       struct errmsg *err);
void replay_free(struct replay *rp);
SCOPED_POINTER(struct replay, replay_free)

/* By event id: those that matter. */
const uint8_t *replay_events(const struct replay *rp, size_t *ret_n);
void replay_add(struct replay *rp, const struct record *rec);
void replay_finish(struct replay *rp);
const struct flow_counts *replay_counts(const struct replay *rp);

#endif
