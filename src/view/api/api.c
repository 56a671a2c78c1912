// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * api.c - the table of requests, the common parts of their queries, and the report of failures.
 *
 * doc/VIEWER.md lists the members of every answer. A request that is not in the table does not
 * exist; the answer to a failed one is {"error":"message"}, with "at" if the message refers to a
 * place in an expression. An answer that exceeds its ceiling fails as a whole, because half an
 * object is useless. If memory runs out, the answer has the status 503, and later requests are
 * answered as usual.
 */
#include "view/api/api.h"

#include "base/array.h"
#include "base/shortage.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BY_GET = 1, BY_POST = 2 };

static const struct api_row {
	const char *name;
	int methods;
	api_function run;
} table[] = {
	{"info", BY_GET, api_info},
	{"tasks", BY_GET, api_tasks},
	{"processes", BY_GET, api_processes},
	{"kinds", BY_GET, api_kinds},
	{"density", BY_GET, api_density},
	{"tiles", BY_POST, api_tiles},
	{"labels", BY_GET, api_labels},
	{"span", BY_GET, api_span},
	{"values", BY_GET, api_values},
	{"rows", BY_GET, api_rows},
	{"rank", BY_GET, api_rank},
	{"row", BY_GET, api_row},
	{"event", BY_GET, api_event},
	{"hit", BY_GET, api_hit},
	{"select", BY_POST, api_select},

	{"stats", BY_GET, api_stats},
	{"why", BY_GET, api_why},
	{"arrows", BY_GET, api_arrows},
	{"export", BY_GET, api_export},
	{"live", BY_GET | BY_POST, api_live},
	{"loss", BY_GET, api_loss},
	{"sql", BY_POST, api_sql},
	{"queries", BY_GET, api_queries},
};

static int status_of(int code)
{
	switch (code) {
	case -EINVAL:
		return 400;
	case -ENOENT:
		return 404;
	default:
		return 503;
	}
}

static void fmt_error(struct answer *a, const struct errmsg *err)
{
	struct jsonwriter w;

	textbuf_clear(&a->body);
	a->status = status_of(err->code);
	a->type = "application/json";
	a->download[0] = 0;
	jsonwriter_init(&w, &a->body);
	jsonwriter_open(&w, NULL, '{');
	jsonwriter_add_text(&w, "error", err->text, errmsg_sentence_len(err));
	if (err->has_span)
		jsonwriter_add_int(&w, "at", err->at);
	jsonwriter_close(&w);
}

static int run(struct stage *st, const struct request *req, const char *path, struct answer *a,
	       struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		if (strcmp(table[i].name, path))
			continue;
		if (!(table[i].methods & (req->is_post ? BY_POST : BY_GET)))
			return errmsg_set(err, -EINVAL, "api/%s requires %s", path,
					  req->is_post ? "GET" : "POST");
		return table[i].run(st, req, a, err);
	}
	return errmsg_set(err, -ENOENT, "unknown request api/%.40s", path);
}

/* Runs a request, and fails unless the answer is complete. */
static int run_whole(struct stage *st, const struct request *req, const char *path,
		     struct answer *a, struct errmsg *err)
{
	unsigned n_refused = shortage_count();
	int r = run(st, req, path, a, err);

	/* fail even if the request itself succeeded */
	if (shortage_count() != n_refused) {
		err->code = 0;
		return errmsg_set(err, -ENOMEM, "out of memory; request less, or try again later");
	}
	if (r >= 0 && a->body.overflow)
		return errmsg_set(err, -EFBIG, "the answer is too long; request a shorter range");
	return r;
}

void api_answer(struct stage *st, const struct request *req, const char *path, struct answer *a)
{
	struct errmsg err = {0};
	unsigned n_refused = shortage_count();
	int r;

	a->status = 200;
	a->type = "application/json";
	a->download[0] = 0;
	textbuf_init(&a->body, ANSWER_MAX_BYTES);
	r = timeline_error(st->tl);
	if (r < 0)
		errmsg_set(&err, r,
			   "memory ran out while the trace was indexed; close this viewer, free "
			   "memory and start it again");
	else
		r = run_whole(st, req, path, a, &err);
	if (r == -E2BIG && !err.code)
		errmsg_set(&err, r, "too many events; choose a shorter range");
	if (r < 0) {
		errmsg_set_errno(&err, r, "the request failed");
		fmt_error(a, &err);
	}
	if (shortage_count() != n_refused)
		shortage_settle(shortage_count()); /* the status reports the shortage */
}

int api_range(const struct stage *st, const struct request *req, uint64_t *ret_from,
	      uint64_t *ret_to, struct errmsg *err)
{
	if (request_uint(req, "from", 0, TIMELINE_TIME_MAX, ret_from, err) < 0 ||
	    request_uint(req, "to", timeline_duration(st->tl), TIMELINE_TIME_MAX, ret_to, err) < 0)
		return errmsg_code(err);
	if (*ret_to < *ret_from)
		return errmsg_set(err, -EINVAL, "to is before from");
	return 0;
}

int api_task(const struct stage *st, const struct request *req, int *ret, struct errmsg *err)
{
	const char *s = request_arg(req, "task");
	uint64_t v;

	*ret = -1;
	if (!s || !*s || !strcmp(s, "-1"))
		return 0;
	if (request_uint(req, "task", 0, UINT16_MAX, &v, err) < 0)
		return errmsg_code(err);
	if (v >= timeline_n_tasks(st->tl))
		return errmsg_set(err, -ENOENT, "unknown task number %llu", (unsigned long long)v);
	*ret = v;
	return 0;
}

int api_selection(struct stage *st, const struct request *req, struct stage_selection **ret,
		  struct errmsg *err)
{
	uint64_t id;
	const char *s = request_arg(req, "sel");
	int r = s && !*s ? 0 : request_uint(req, "sel", 0, UINT64_MAX / 16, &id, err);

	if (s && !*s)
		id = 0;
	return r < 0 ? r : stage_selection_get(st, id, ret, err);
}
