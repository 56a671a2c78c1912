/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graphing.h - the call graph of a file, for graph, flame and export.
 */
#ifndef SONDE_CLI_CALLS_GRAPHING_H
#define SONDE_CLI_CALLS_GRAPHING_H

#include "analyse/calls/callgraph.h"
#include "base/errmsg.h"
#include "cli/calls/callopts.h"

struct graphing {
	struct callrun run;
	struct callgraph_config config;
	struct callgraph *graph;
};

/* Opens the file and reads all calls of it. g must be zeros; release it on failure, too. */
int graphing_read(struct graphing *g, const struct call_options *o, const char *path,
		  struct errmsg *err);
void graphing_release(struct graphing *g);

#endif
