// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_graph.c - `sonde graph`: prints the call graph with counts and times, of all functions, or of
 * one with its callers.
 *
 *	graphing_read ──▶ callgraph ──▶ graphtext
 *
 * The words of the command line are FILE and FUNCTION in any order: a word that names a file is the
 * file.
 */
#include "analyse/calls/callgraph.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/calls/graphing.h"
#include "cli/command.h"
#include "base/errmsg.h"
#include "present/calls/graphtext.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX_BYTES (512u << 20)

struct graph_options {
	struct call_options calls; /* must be the first member */
	const char *function, *fields;
	struct graph_view view;
};

#define AT(field)	  offsetof(struct graph_options, field)
#define SAMPLES_AT(field) offsetof(struct graph_options, calls.samples.field)

static const struct option_row rows[] = {
	CALLOPTS_ROWS_FILTER,
	SAMPLEOPTS_ROWS(SAMPLES_AT),
	ROW_HEADING("the result"),
	ROW_STRING('f', "output-fields", "FIELD,…",
		   "show these fields: total, self, avg, min, max, addr; + in front adds to total",
		   AT(fields)),
	ROW_FLAG(0, "srcline", "print the file and line where each function begins",
		 AT(view.sources)),
	ROW_FLAG(0, "json", "print one JSON object with all nodes", CALLOPTS_AT(json)),
	CALLOPTS_ROWS_RESULT,
	ROW_END,
};

static int fmt(struct graph_options *o, struct graphing *g, struct textbuf *tb, struct errmsg *err)
{
	struct graph_focus focus = {0};
	int r = 0;

	o->view.graph = g->graph;
	o->view.is_chosen = o->calls.n_tids || g->run.to || g->of_samples;
	o->view.file = o->calls.input;
	o->view.in_time = g->in_time;
	if (o->function)
		r = callgraph_focus(g->graph, o->function, &focus);
	if (r == -ENOENT)
		return errmsg_set(err, r, "no call of '%s' is in %s; 'sonde functions' lists them",
				  o->function, o->calls.input);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot make the call graph");
	if (o->calls.json)
		graphtext_fmt_json(&o->view, o->function ? &focus : NULL, tb);
	else if (o->function)
		graphtext_fmt_focus(&o->view, o->function, &focus, tb);
	else
		graphtext_fmt(&o->view, tb);
	graph_focus_release(&focus);
	return 0;
}

static int graph(struct graph_options *o, struct errmsg *err)
{
	SCOPED(graphing_release) struct graphing g = {0};
	TEXTBUF(tb, TEXT_MAX_BYTES);

	o->calls.samples.lines = o->view.sources;
	TRY(graphing_read(&g, &o->calls, o->calls.input, err));
	TRY(callopts_find_colour(&o->calls, &o->view.colour, err));
	TRY(fmt(o, &g, &tb, err));
	TRY(callopts_print(&o->calls, &tb, err));
	return graphing_finish(&g, &o->calls);
}

/* Takes FILE, FUNCTION, or both in any order. */
static int take_words(struct graph_options *o, int n, char **argv, struct errmsg *err)
{
	bool is_swapped = n == 2 && access(argv[1], F_OK) < 0 && !access(argv[2], F_OK);

	for (int i = 1; i <= n; i++) {
		bool is_file = n == 2 ? i == 1 + is_swapped : !access(argv[i], F_OK);

		if (!o->calls.input && is_file)
			o->calls.input = argv[i];
		else if (!o->function)
			o->function = argv[i];
		else
			return errmsg_set(err, -EINVAL,
					  "graph takes a file and a function, not '%s' too",
					  argv[i]);
	}
	if (!o->calls.input)
		o->calls.input = "trace.dat";
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct graph_options o = {.calls.input = NULL};
	int n = command_parse(cmd, &o, argc, argv, err);

	TRY(n < 0 ? n : take_words(&o, n, argv, err));
	if (o.fields && o.calls.json)
		return errmsg_set(err, -EINVAL, "-f has no effect on --json; omit one of them");
	if (o.fields)
		TRY(graph_fields_parse(o.fields, &o.view, err));
	TRY(callopts_settle(&o.calls, err));
	return graph(&o, err);
}

const struct command cmd_graph = {
	.name = "graph",
	.summary = "show which functions call which, how often and how long",
	.usage = "[options] [FILE] [FUNCTION]",
	.options = rows,
	.args = "file",
	.run = run,
};
