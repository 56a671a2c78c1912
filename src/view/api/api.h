/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * api.h - the requests of doc/VIEWER.md, one function each.
 *
 * Each function fills an answer from the stage. Several threads may call it at once. On failure it
 * returns a negative errno with a message, from which api_answer() makes the answer.
 */
#ifndef SONDE_VIEW_API_API_H
#define SONDE_VIEW_API_API_H

#include "base/errmsg.h"
#include "base/json/jsonwriter.h"
#include "base/textbuf.h"
#include "view/request.h"
#include "view/stage.h"

#define ANSWER_MAX_BYTES (64u << 20)

struct answer {
	int status;	    /* status of HTTP */
	const char *type;   /* Content-Type */
	char download[128]; /* the file name for saving; "": the browser shows the answer */
	struct textbuf body;
};

typedef int (*api_function)(struct stage *st, const struct request *req, struct answer *a,
			    struct errmsg *err);

/*
 * Answers a request. path is the part after "api/". Always fills *a; the caller releases its body.
 */
void api_answer(struct stage *st, const struct request *req, const char *path, struct answer *a);

/*
 * Reads [from, to] of the query, by default the whole trace. Returns -EINVAL if to is before from.
 */
int api_range(const struct stage *st, const struct request *req, uint64_t *ret_from,
	      uint64_t *ret_to, struct errmsg *err);
/* Reads task=N; -1 if not given. */
int api_task(const struct stage *st, const struct request *req, int *ret, struct errmsg *err);
/* select.c: makes selection `s` again from all events that are indexed now, and replaces it. */
int api_select_again(struct stage *st, struct stage_selection *s, struct stage_selection **ret,
		     struct errmsg *err);
/*
 * Finds the tasks of a selection, in the form of insight.h. *ret is NULL if it selects all tasks;
 * otherwise the caller frees it. s may be NULL. Ignores the other conditions of the selection.
 */
int api_select_tasks(struct stage *st, const struct stage_selection *s, uint8_t **ret,
		     struct errmsg *err);
/* Reads sel=ID. *ret is NULL for all events. */
int api_selection(struct stage *st, const struct request *req, struct stage_selection **ret,
		  struct errmsg *err);

int api_info(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_tasks(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_processes(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_kinds(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_density(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_tiles(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_labels(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_span(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_values(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_rows(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_rank(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_row(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_event(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_hit(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_loss(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_sql(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_queries(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_select(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_stats(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_why(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_arrows(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_export(struct stage *, const struct request *, struct answer *, struct errmsg *);
int api_live(struct stage *, const struct request *, struct answer *, struct errmsg *);

#endif
