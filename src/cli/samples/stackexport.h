/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stackexport.h - export of calls and samples: folded stacks, graphs, and profiles of other
 * viewers.
 */
#ifndef SONDE_CLI_SAMPLES_STACKEXPORT_H
#define SONDE_CLI_SAMPLES_STACKEXPORT_H

#include "base/errmsg.h"
#include "cli/samples/sampleopts.h"

enum stackexport_form {
	STACKEXPORT_NONE,
	STACKEXPORT_FOLDED,
	STACKEXPORT_GRAPHVIZ,
	STACKEXPORT_MERMAID,
	/* only of samples */
	STACKEXPORT_SPEEDSCOPE,
	STACKEXPORT_PPROF,
	STACKEXPORT_FIREFOX,
	STACKEXPORT_PERF,
};

struct stackexport {
	enum stackexport_form form;
	const struct sample_options *samples;
	const char *input, *from, *to;
	const char *output; /* NULL or "-": standard output */
	bool short_names;
};

/* Returns the exit status or a negative errno with a message. */
int stackexport_run(const struct stackexport *x, struct errmsg *err);

#endif
