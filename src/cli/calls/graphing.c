// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graphing.c - the graph of a file, for graph, flame and export.
 *
 *	calls      callrun_open ─▶ scan_run, or callrun_walk ─▶ callgraph_add … ─▶ callgraph_end
 *	samples    sampleread_open ─▶ sampletree_new
 *
 * The file stays open as long as the graph: names of functions come from it.
 */
#include "cli/calls/graphing.h"

#include "analyse/samples/sampleset.h"
#include "analyse/samples/sampletree.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "decode/record.h"
#include "inputs/scan.h"
#include "inputs/taskwalk.h"
#include "symbols/tasks.h"

#include <errno.h>

static void visit(void *ctx, const struct record *rec)
{
	callgraph_add(ctx, rec);
}

/* --- on all CPUs ------------------------------------------------------------------------------ */

static int init_part(void *ctx, struct formats *f, void **ret_state)
{
	struct graphing *g = ctx;
	struct errmsg err = {0};
	struct callgraph *part;
	int r;

	TRY(callgraph_new(&part, f, &g->config, &err));
	r = callgraph_make_part(part);
	if (r < 0)
		callgraph_free(part);
	else
		*ret_state = part;
	return r;
}

static const uint8_t *part_events(void *state, size_t *ret_n)
{
	return callgraph_events(state, ret_n);
}

static int join_part(void *ctx, void *state, struct tasks *tasks)
{
	return callgraph_join(((struct graphing *)ctx)->graph, state, tasks);
}

static void release_part(void *state)
{
	callgraph_free(state);
}

/* Makes the graph. Returns 1, or 0 if one thread has to do it; then the graph is empty again. */
static int fold(struct graphing *g, struct errmsg *err)
{
	struct scan_fold how = {.ctx = g,
				.init = init_part,
				.events = part_events,
				.add = visit,
				.run = callgraph_run,
				.join = join_part,
				.release = release_part};

	if (g->config.from || g->config.to || g->config.n_tids)
		return 0;
	if (scan_run(&g->run.src, NULL, &how))
		return 1;
	callgraph_free(g->graph);
	g->graph = NULL;
	return callgraph_new(&g->graph, callrun_formats(&g->run), &g->config, err);
}

static int read_calls(struct graphing *g, const struct call_options *o, const char *path,
		      struct errmsg *err)
{
	struct taskwalk_spec spec = {.visit = visit, .run = callgraph_run};
	int r;

	TRY(callrun_open(&g->run, o, path, err));
	g->in_time = g->run.in_time;
	g->config = (struct callgraph_config){.filter = g->run.filter,
					      .from = g->run.from,
					      .to = g->run.to,
					      .tids = o->tids,
					      .n_tids = o->n_tids};
	TRY(callgraph_new(&g->graph, callrun_formats(&g->run), &g->config, err));
	r = fold(g, err);
	TRY(r);
	spec.ctx = g->graph;
	spec.events = callgraph_events(g->graph, &spec.n_events);
	if (!r)
		TRY(callrun_walk(&g->run, spec, err));
	callgraph_end(g->graph);
	return shortage_check(err, "cannot make the call graph");
}

static int read_samples(struct graphing *g, const struct call_options *o, const char *path,
			struct errmsg *err)
{
	struct sampletree_config tree = {0};

	TRY(callfilter_new(&g->run.filter, &o->filter, err));
	g->spec = sampleopts_spec(&o->samples, path);
	g->spec.from = o->from;
	g->spec.to = o->to;
	g->spec.tids = o->tids;
	g->spec.n_tids = o->n_tids;
	g->spec.one_event = true;
	g->spec.keep = SAMPLESET_TASK;
	TRY(sampleread_open(&g->samples, &g->spec, err));
	g->in_time = g->samples.in_time;
	tree = (struct sampletree_config){.set = g->samples.set,
					  .names = g->samples.names,
					  .filter = g->run.filter,
					  .by_task = g->samples.in.n_files,
					  .program =
						  g->samples.in.n_files ? g->samples.event : NULL};
	g->graph = sampletree_new(&tree);
	if (!g->graph)
		return errmsg_set_errno(err, -ENOMEM, "cannot make the graph of samples");
	return shortage_check(err, "cannot make the graph of samples");
}

int graphing_read(struct graphing *g, const struct call_options *o, const char *path,
		  struct errmsg *err)
{
	g->of_samples = sampleopts_are_meant(&o->samples, path);
	return g->of_samples ? read_samples(g, o, path, err) : read_calls(g, o, path, err);
}

int graphing_finish(struct graphing *g, const struct call_options *o)
{
	return g->of_samples ? sampleopts_finish(&g->samples, &o->samples, o->quiet)
			     : callrun_finish(&g->run, o);
}

void graphing_release(struct graphing *g)
{
	callgraph_free(g->graph);
	sampleread_close(&g->samples);
	callrun_close(&g->run);
}
