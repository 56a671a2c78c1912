/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the files of `sonde view` and `sonde export`, as a stage.
 */
#ifndef SONDE_VIEW_TRACE_H
#define SONDE_VIEW_TRACE_H

#include "present/lines.h"
#include "view/stage.h"

enum viewtrace_use {
	VIEWTRACE_VIEW,
	VIEWTRACE_LIVE, /* the last file is being recorded */
	VIEWTRACE_EXPORT, /* indexed by one thread: with several, the order in which tasks are met, and with it
			   * their numbers, are others each time, and the same export must be the same bytes */
};

struct viewtrace {
	struct inputs_spec spec;
	struct inputs inputs;
	struct inputs_sources sources;
	struct lines lines;
	struct timeline_source *list; /* as the stage has them */
	char **names;
	struct stage_machine *machines;
	struct stage_vcpu **vcpus; /* of each machine */
	struct tracefile **files;
	char title[128];
	struct stage *stage;
};

/* paths: n of them, kept by the caller. Close it on failure, too. */
int viewtrace_open(struct viewtrace *vt, const char *const *paths, size_t n, enum viewtrace_use use,
		   struct errmsg *err);
void viewtrace_close(struct viewtrace *vt);

#endif
