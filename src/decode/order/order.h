/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - what the meaning of a record depends on in earlier records. Used only by sequence.c.
 */
#ifndef SONDE_DECODE_ORDER_ORDER_H
#define SONDE_DECODE_ORDER_ORDER_H

#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

enum event_role {
	ROLE_NONE,
	ROLE_SWITCH, /* has prev_comm and next_comm */
	ROLE_WAKEUP, /* has comm */
	ROLE_FUNCTION,
	ROLE_GRAPH_ENTRY,
	ROLE_NEWTASK, /* has comm, and shows whether a task is a thread of its parent */
	ROLE_RENAME,  /* has newcomm */
	ROLE_EXEC,    /* the caller is its process's leader afterwards */
	ROLE_OTHER,   /* only raw printing uses it */
};

struct order_state;
struct wakeup_stats;

/* The parameters are those of struct sequence_config. */
struct order_state *order_new(bool raw, bool all_names, bool fresh_names, bool tgids);
void order_free(struct order_state *o);

/*
 * For a record that will be printed. Returns true if it is a function entry that may be folded with
 * its exit.
 */
bool order_apply(struct order_state *o, struct formats *f, struct tasks *tasks, struct record *rec);
/* For a record that will not be printed. */
void order_learn_skipped(struct order_state *o, struct formats *f, struct tasks *tasks,
			 const struct record *rec);

/* Is the record in data the funcgraph_exit of this funcgraph_entry? */
bool order_is_exit_of(const struct formats *f, const struct record *entry, const uint8_t *data,
		      uint32_t size);

/* For report -w; returns true if rec is a switch to a task whose wakeup was seen. */
bool order_wakeup(struct order_state *o, struct formats *f, const struct record *rec,
		  uint64_t *ret_latency);
const struct wakeup_stats *order_wakeup_stats(const struct order_state *o);

/* The event's role; called when the event is compiled. */
enum event_role order_role(const struct event *ev);

/*
 * A stack follows its event even if a filter names only the event. As in trace-cmd the rule is
 * simpler: after an event was printed on a CPU, its stacks are printed, until a -v filter removes
 * an event.
 */
struct stack_follow {
	int kernel_id, user_id; /* -1: the file has no such event */
	/* per CPU: was the last record that a filter decided about printed? */
	uint8_t *printed;
	uint32_t n_cpus;
};

int stack_follow_init(struct stack_follow *sf, struct formats *f, uint32_t n_cpus);
void stack_follow_release(struct stack_follow *sf);
/* Is this a stack that follows what was printed on its CPU? */
bool stack_follow_is_due(const struct stack_follow *sf, const struct record *rec);
void stack_follow_set(struct stack_follow *sf, const struct record *rec, bool printed);

#endif
