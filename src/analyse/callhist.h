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

#include "analyse/calltree.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

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
