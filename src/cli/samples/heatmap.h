/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heatmap.h - `flame --heatmap`: samples over time, as a picture or a page.
 */
#ifndef SONDE_CLI_SAMPLES_HEATMAP_H
#define SONDE_CLI_SAMPLES_HEATMAP_H

#include "base/errmsg.h"
#include "cli/calls/callopts.h"

struct heatmap {
	const struct call_options *calls; /* file, range, tasks, output */
	const char *title;		  /* NULL: the name of the file */
	bool html;
	const char *script; /* web/heatpage.js */
	size_t script_len;
};

/* Returns the exit status or a negative errno with a message. */
int heatmap_run(const struct heatmap *m, struct errmsg *err);

#endif
