/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * order.h - derives from earlier records what later records mean. Used by sequence.c; readers
 * without a sequence learn names with it.
 */
#ifndef SONDE_DECODE_ORDER_ORDER_H
#define SONDE_DECODE_ORDER_ORDER_H

#include "base/scope.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

enum event_role {
	ROLE_NONE,
	ROLE_SWITCH, /* the event has prev_comm and next_comm */
	ROLE_WAKEUP, /* the event has comm */
	ROLE_FUNCTION,
	ROLE_GRAPH_ENTRY,
	ROLE_NEWTASK, /* the event has comm, and shows whether a task is a thread of its parent */
	ROLE_RENAME,  /* the event has newcomm */
	ROLE_EXEC,    /* the caller becomes the leader of its process */
	ROLE_OTHER,   /* only raw printing uses the event */
};

struct order_state;
struct wakeup_stats;

/* The parameters are those of struct sequence_config. */
struct order_state *order_new(bool raw, bool all_names, bool fresh_names, bool tgids);
void order_free(struct order_state *o);
SCOPED_POINTER(struct order_state, order_free)

/*
 * Processes a record that will be printed. Returns true if it is a function entry that may be
 * folded with its exit.
 */
bool order_apply(struct order_state *o, struct formats *f, struct tasks *tasks, struct record *rec);
/* Processes a record that will not be printed. */
void order_learn_skipped(struct order_state *o, struct formats *f, struct tasks *tasks,
			 const struct record *rec);

/* Returns true if the record in data is the funcgraph_exit of this funcgraph_entry. */
bool order_is_exit_of(const struct formats *f, const struct record *entry, const uint8_t *data,
		      uint32_t size);

/*
 * Computes the latency for report -w. Returns true if rec is a switch to a task whose wakeup was
 * seen.
 */
bool order_wakeup(struct order_state *o, struct formats *f, const struct record *rec,
		  uint64_t *ret_latency);
const struct wakeup_stats *order_wakeup_stats(const struct order_state *o);

/* Returns the event's role. Called when the event is compiled. */
enum event_role order_role(const struct event *ev);

/*
 * A stack belongs to its event even if a filter names only the event. sonde uses trace-cmd's
 * simpler rule: after an event was printed on a CPU, the stacks of that CPU are printed, until a -v
 * filter removes an event.
 */
struct stack_follow {
	int kernel_id, user_id; /* -1: the file has no such event */
	/* per CPU: whether the last record that a filter decided about was printed */
	uint8_t *printed;
	uint32_t n_cpus;
};

int stack_follow_init(struct stack_follow *sf, struct formats *f, uint32_t n_cpus);
void stack_follow_release(struct stack_follow *sf);
/* Returns true if rec is a stack that belongs to a printed event of its CPU. */
bool stack_follow_is_due(const struct stack_follow *sf, const struct record *rec);
void stack_follow_set(struct stack_follow *sf, const struct record *rec, bool printed);

#endif
