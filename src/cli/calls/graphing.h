/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graphing.h - the graph of a file's calls, or of its samples, for graph, flame and export.
 */
#ifndef SONDE_CLI_CALLS_GRAPHING_H
#define SONDE_CLI_CALLS_GRAPHING_H

#include "analyse/calls/callgraph.h"
#include "base/errmsg.h"
#include "cli/calls/callopts.h"
#include "inputs/samples/sampleread.h"

struct graphing {
	struct callrun run; /* of calls; of samples only the filter */
	struct callgraph_config config;
	struct sampleread_spec spec; /* of samples */
	struct sampleread samples;
	struct callgraph *graph;
	bool of_samples, in_time;
};

/*
 * Opens the file and reads all calls or samples of it. g must be zeros; release it on failure, too.
 */
int graphing_read(struct graphing *g, const struct call_options *o, const char *path,
		  struct errmsg *err);
/* Warns about what is not in the graph; the exit status. */
int graphing_finish(struct graphing *g, const struct call_options *o);
void graphing_release(struct graphing *g);

#endif
