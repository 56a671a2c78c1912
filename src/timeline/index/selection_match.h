/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selection_match.h - a selection while it is made, and whether single records are of it.
 */
#ifndef SONDE_TIMELINE_INDEX_SELECTION_MATCH_H
#define SONDE_TIMELINE_INDEX_SELECTION_MATCH_H

#include "timeline/index/selection_int.h"

#include "base/errmsg.h"
#include "decode/filter/filter.h"

struct helper; /* what a thread needs to match records: compiled filters, printers */

struct making {
	struct timeline *tl;
	struct selection *sel;
	const struct selection_wants *wants;
	bool (*stop)(void *ctx);
	void *stop_ctx;
	struct task *tasks; /* names of them, for the filters */
	char (*comms)[TASK_COMM_BYTES];
	size_t n_tasks, n_kinds;
	uint8_t *kind_is_good, *task_is_good; /* UINT16_MAX + 1 each; NULL: all are */
	bool *no_filter;		      /* by kind table: the expression does not suit it */
	char *needle;			      /* the text in lower case */
	size_t needle_len;
	struct segment_place {
		uint32_t stream;
		size_t segment;
	} * places;
	size_t n_places;
	pthread_mutex_t lock; /* for free helpers */
	struct helper *helpers;
	_Atomic int error;
	_Atomic bool stopped;
};

int helper_new(struct making *mk, struct helper **ret, struct errmsg *err);
/* A free one, or a new one; NULL: no memory, mk->error is set. It is given back. */
struct helper *helper_take(struct making *mk);
void helper_give(struct making *mk, struct helper *h);
/* All that were given back. */
void helpers_free(struct making *mk);
/* The compiled expression for a kind table, or NULL. */
struct filter *helper_filter(const struct helper *h, size_t table);

/* Expression and text; kinds, tasks and streams were looked at. */
bool record_matches(struct making *mk, struct helper *h, const struct stream *st,
		    const struct walk_event *ev);
/* Letters of other alphabets have to be written as they are. */
void lower_all(char *s, size_t n);

#endif
