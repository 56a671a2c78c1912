// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queries.c - SQL for the page.
 *
 * A query compiles formats and learns names while it reads, and so does the rest of the viewer, in
 * other threads. So queries have files of their own: 2 ms for each, and no memory until they are
 * read. They are opened before the sandbox closes, the database is made for the first query. One
 * query runs at a time; the page ends its previous one when it asks the next.
 *
 * The page is not trusted more than a file: query/guard.h limits what a query can do, and there are
 * limits of time and memory.
 */
#include "view/queries.h"

#include "base/lock.h"
#include "inputs/inputs.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define TIME_NS	     UINT64_C(60000000000)
#define MEMORY_BYTES (512u << 20)

struct queries {
	struct inputs_spec spec;
	struct inputs in;
	const char *why;
	pthread_mutex_t lock; /* of everything below, and of in: one query at a time */
	struct query *q;      /* NULL: not made yet */
	bool (*is_gone)(void *ctx);
	void *gone_ctx;
};

static bool is_due(void *ctx)
{
	const struct queries *qs = ctx;

	return qs->is_gone && qs->is_gone(qs->gone_ctx);
}

int queries_new(struct queries **ret, const struct inputs_spec *spec, const char *why,
		struct errmsg *err)
{
	SCOPED(queries_free_scoped) struct queries *qs = calloc(1, sizeof(*qs));

	if (!qs)
		return errmsg_set_errno(err, -ENOMEM, "cannot open the trace");
	pthread_mutex_init(&qs->lock, NULL);
	qs->spec = *spec;
	qs->spec.all_names = true;
	qs->why = why;
	if (!why)
		TRY(inputs_open(&qs->in, &qs->spec, err));
	*ret = TAKE(qs);
	return 0;
}

void queries_free(struct queries *qs)
{
	if (!qs)
		return;
	query_free(qs->q);
	inputs_close(&qs->in);
	pthread_mutex_destroy(&qs->lock);
	free(qs);
}

int queries_run(struct queries *qs, const char *sql, const struct query_sink *sink,
		bool (*is_gone)(void *ctx), void *gone_ctx, struct errmsg *err)
{
	const struct query_limits limits = {.time_ns = TIME_NS, .memory_bytes = MEMORY_BYTES};
	const struct query_stop stop = {is_due, qs};

	if (qs->why)
		return errmsg_set(err, -ENOTSUP, "%s", qs->why);
	LOCKED(&qs->lock);
	qs->is_gone = is_gone;
	qs->gone_ctx = gone_ctx;
	if (!qs->q)
		TRY(query_new(&qs->q, &qs->in, &limits, &stop, err));
	return query_run(qs->q, sql, sink, err);
}
