/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * callhist.h - counts the chains of callers that led to functions and events.
 *
 *	callhist_new ─▶ callhist_add … (CPU by CPU, each in its own order) ─▶ callhist_finish
 *	─▶ callhist_tops, callhist_comm … ─▶ callhist_free
 *
 * The result is a forest: a top node for each function or event (and task), below it its callers,
 * below these their callers. Children and tops are sorted by count, the most frequent first. Names
 * point into the given formats and symbols, which must stay valid. Only one thread may use it at a
 * time.
 */
#ifndef SONDE_ANALYSE_CALLHIST_H
#define SONDE_ANALYSE_CALLHIST_H

#include "analyse/calltree.h"
#include "decode/formats/formats.h"
#include "decode/record.h"
#include "symbols/tasks.h"

struct callhist;

/* Creates a histogram. by_task: separate tops for each task. Returns NULL if out of memory. */
struct callhist *callhist_new(struct formats *f, const struct tasks *tasks, bool by_task);
void callhist_free(struct callhist *h);

/* Adds a record. Uses event, data, size and RECORD_MISSED of rec. */
void callhist_add(struct callhist *h, const struct record *rec);
/* Counts the calls that are still open, and sorts the result. */
void callhist_finish(struct callhist *h);

const struct call_node *callhist_tops(const struct callhist *h);
/* Returns the total for the percentages of tops. */
uint64_t callhist_total(const struct callhist *h);
/* Returns the number of chains that were truncated for lack of memory. */
uint64_t callhist_n_cut(const struct callhist *h);
/* Returns the name of a task as trace-cmd would choose it. Call it after callhist_finish(). */
const char *callhist_comm(const struct callhist *h, int pid);

#endif
