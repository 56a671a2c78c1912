/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.h - the files of `sonde view` and `sonde export`, as a stage.
 */
#ifndef SONDE_VIEW_TRACE_H
#define SONDE_VIEW_TRACE_H

#include "base/errmsg.h"
#include "inputs/inputs.h"
#include "present/lines.h"
#include "store/tracefile.h"
#include "timeline/timeline.h"
#include "view/stage.h"

enum viewtrace_use {
	VIEWTRACE_VIEW,
	VIEWTRACE_LIVE,	  /* a recorder still writes the last file */
	VIEWTRACE_EXPORT, /* indexed by one thread: several threads would number the tasks in a
			   * different order each time; the same export must give the same bytes */
};

struct viewtrace {
	struct inputs_spec spec;
	struct inputs inputs;
	struct inputs_sources sources;
	struct lines lines;
	struct timeline_source *list; /* the sources of the stage */
	char **names;
	struct stage_machine *machines;
	struct stage_vcpu **vcpus; /* of each machine */
	struct tracefile **files;
	char title[128];
	struct stage *stage;
};

/* paths: n of them, owned by the caller. Close it on failure, too. */
int viewtrace_open(struct viewtrace *vt, const char *const *paths, size_t n, enum viewtrace_use use,
		   struct errmsg *err);
void viewtrace_close(struct viewtrace *vt);

#endif
