// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftexport.c - goes through the calls of a trace file and writes a uftrace.data directory.
 *
 *	callrun_open ─▶ callflow ─▶ present/export/uftracedir
 *
 * The flow must live as long as the directory is written: names of functions belong to it.
 */
#include "cli/calls/uftexport.h"

#include "analyse/calls/callflow.h"
#include "base/scope.h"
#include "decode/callevent.h"
#include "present/export/uftracedir.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct work {
	struct callrun run;
	struct callflow *flow;
	struct uftracedir *dir;
	uint8_t *wanted;
};

static void release(struct work *w)
{
	uftracedir_free(w->dir);
	callflow_free(w->flow);
	callrun_close(&w->run);
	free(w->wanted);
}

static void visit(void *ctx, const struct record *rec)
{
	callflow_add(ctx, rec);
}

static int find_events(struct work *w, size_t n_table, struct errmsg *err)
{
	const struct call_kinds *kinds = callflow_kinds(w->flow);

	w->wanted = calloc(n_table + 1, 1);
	if (!w->wanted)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the calls");
	for (size_t i = 1; i < kinds->n; i++)
		if ((size_t)kinds->rows[i].event->id < n_table)
			w->wanted[kinds->rows[i].event->id] = 1;
	return 0;
}

int uftexport(const struct call_options *o, const char *path, const char *directory,
	      struct errmsg *err)
{
	SCOPED(release) struct work w = {0};
	struct uftracedir_config config = {.path = directory};
	struct callflow_config flow_config = {0};
	struct uftracedir_counts counts;
	struct flow_sink sink;
	struct formats *f;

	TRY(callrun_open(&w.run, o, path, err));
	f = callrun_formats(&w.run);
	flow_config.filter = w.run.filter;
	TRY(uftracedir_new(&w.dir, &config, err));
	sink = uftracedir_sink(w.dir);
	if (callflow_new(&w.flow, f, &flow_config, &sink) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot read the calls");
	TRY(find_events(&w, f->n_table, err));
	TRY(callrun_walk(&w.run, w.wanted, f->n_table, visit, w.flow, NULL, err));
	callflow_finish(w.flow);
	TRY(uftracedir_finish(w.dir, &counts, err));
	fprintf(stderr, "%s: %" PRIu64 " calls\n", directory, counts.n_calls);
	if (!counts.n_deep)
		return callrun_finish(&w.run, o);
	fprintf(stderr, "sonde: %" PRIu64 " calls are deeper than uftrace can store; left out\n",
		counts.n_deep);
	callrun_finish(&w.run, o);
	return 1;
}
