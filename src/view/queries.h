/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * queries.h - SQL for the page: the files of the viewer opened a second time, and a database.
 *
 *	queries_new ─▶ queries_run … from any thread, one at a time ─▶ queries_free
 */
#ifndef SONDE_VIEW_QUERIES_H
#define SONDE_VIEW_QUERIES_H

#include "base/scope.h"
#include "query/query.h"

#include <stdbool.h>

struct inputs_spec;
struct queries;

/*
 * Opens the files of spec, which must stay valid. why: why there can be no queries, a sentence that
 * stays valid, or NULL: then nothing is opened.
 */
int queries_new(struct queries **ret, const struct inputs_spec *spec, const char *why,
		struct errmsg *err);
void queries_free(struct queries *qs);
SCOPED_POINTER(struct queries, queries_free)

/*
 * Runs the statements of a text; see query_run(). is_gone(ctx): the client does not wait any more;
 * NULL: it always does.
 */
int queries_run(struct queries *qs, const char *sql, const struct query_sink *sink,
		bool (*is_gone)(void *ctx), void *gone_ctx, struct errmsg *err);

#endif
