/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * selection_match.h - a selection under construction, and the test whether a record matches.
 */
#ifndef SONDE_TIMELINE_INDEX_SELECTION_MATCH_H
#define SONDE_TIMELINE_INDEX_SELECTION_MATCH_H

#include "symbols/tasks.h"
#include "timeline/index/selection_int.h"

#include "base/errmsg.h"
#include "decode/filter/filter.h"

struct helper; /* the working data of one thread: compiled filters, printers */

struct making {
	struct timeline *tl;
	struct selection *sel;
	const struct selection_wants *wants;
	bool (*stop)(void *ctx);
	void *stop_ctx;
	struct task *tasks; /* names of tasks, for the filters */
	char (*comms)[TASK_COMM_BYTES];
	size_t n_tasks, n_kinds;
	uint8_t *kind_is_good, *task_is_good; /* UINT16_MAX + 1 flags each; NULL: all match */
	/* by kind table: the expression does not apply to it */
	bool *no_filter;
	char *needle; /* the text in lower case */
	size_t needle_len;
	struct segment_place {
		uint32_t stream;
		size_t segment;
	} * places;
	size_t n_places;
	pthread_mutex_t lock; /* protects the list of free helpers */
	struct helper *helpers;
	_Atomic int error;
	_Atomic bool stopped;
};

int helper_new(struct making *mk, struct helper **ret, struct errmsg *err);
/*
 * Takes a free helper or creates one. Returns NULL if out of memory, and sets mk->error. The caller
 * returns the helper.
 */
struct helper *helper_take(struct making *mk);
void helper_give(struct making *mk, struct helper *h);
/* Frees all returned helpers. */
void helpers_free(struct making *mk);
/* Returns the compiled expression for a kind table, or NULL. */
struct filter *helper_filter(const struct helper *h, size_t table);

/* Tests expression and text. The caller has tested kind, task and stream. */
bool record_matches(struct making *mk, struct helper *h, const struct stream *st,
		    const struct walk_event *ev);
/* Converts to lower case. Only ASCII is converted: other letters match only in the same case. */
void lower_all(char *s, size_t n);

#endif
