/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callhist.h - how often which chain of callers led to a function or an event.
 *
 *	callhist_new ─▶ callhist_add … (CPU by CPU, each in its own order) ─▶ callhist_finish
 *	─▶ callhist_tops, callhist_comm … ─▶ callhist_free
 *
 * The result is a forest: a top node for each function or event (and task), below it who called it,
 * below that who called them. Children and tops are sorted by count, the most frequent first. Names
 * point into the formats and symbols given, which must stay. One owner.
 */
#ifndef SONDE_ANALYSE_CALLHIST_H
#define SONDE_ANALYSE_CALLHIST_H

#include "decode/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

struct call_frame {
	const char *name; /* not terminated; the same function has the same pointer */
	uint32_t len;
};

struct call_node {
	struct call_frame frame;
	uint64_t count;
	struct call_node *callers;   /* the first of them */
	struct call_node *next;	     /* next caller of the same function, or next top */
	struct call_node *made_next; /* all nodes, the latest first */
	uint32_t n_callers;
	int pid;	       /* of a top node */
	bool is_top, is_event; /* is_event: a top node that is an event, not a function */
};

struct callhist;

/* by_task: tops are apart for each task. NULL without memory. */
struct callhist *callhist_new(struct formats *f, const struct tasks *tasks, bool by_task);
void callhist_free(struct callhist *h);

/* event, data, size and RECORD_MISSED of rec count. */
void callhist_add(struct callhist *h, const struct record *rec);
/* Counts what is still under way and sorts. */
void callhist_finish(struct callhist *h);

const struct call_node *callhist_tops(const struct callhist *h);
/* What the percentages of tops refer to. */
uint64_t callhist_total(const struct callhist *h);
/* Chains that could not be kept whole for lack of memory. */
uint64_t callhist_n_cut(const struct callhist *h);
/* The name of a task as trace-cmd would choose it. After callhist_finish(). */
const char *callhist_comm(const struct callhist *h, int pid);

#endif
