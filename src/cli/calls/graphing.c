// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphing.c - the call graph of a file, for graph, flame and export.
 *
 *	callrun_open ─▶ callrun_walk ─▶ callgraph_add … ─▶ callgraph_end
 *
 * The file stays open as long as the graph: names of functions come from it.
 */
#include "cli/calls/graphing.h"

#include "base/shortage.h"
#include "decode/record.h"
#include "inputs/taskwalk.h"

static void visit(void *ctx, const struct record *rec)
{
	callgraph_add(ctx, rec);
}

int graphing_read(struct graphing *g, const struct call_options *o, const char *path,
		  struct errmsg *err)
{
	struct taskwalk_spec spec = {.visit = visit, .run = callgraph_run};
	int r = callrun_open(&g->run, o, path, err);

	if (r < 0)
		return r;
	g->config = (struct callgraph_config){.filter = g->run.filter,
					      .from = g->run.from,
					      .to = g->run.to,
					      .tids = o->tids,
					      .n_tids = o->n_tids};
	r = callgraph_new(&g->graph, callrun_formats(&g->run), &g->config, err);
	if (r < 0)
		return r;
	spec.ctx = g->graph;
	spec.events = callgraph_events(g->graph, &spec.n_events);
	r = callrun_walk(&g->run, spec, err);
	if (r < 0)
		return r;
	callgraph_end(g->graph);
	return shortage_check(err, "cannot make the call graph");
}

void graphing_release(struct graphing *g)
{
	callgraph_free(g->graph);
	callrun_close(&g->run);
}
