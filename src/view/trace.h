/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.h - opens the files of `sonde view` and `sonde export` as a stage. */
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
	VIEWTRACE_LIVE,	   /* a recorder still writes the last file */
	VIEWTRACE_ALIGNED, /* each file is a machine and begins when the first one does */
	/*
	 * one thread indexes the trace: several threads would number the tasks in a different order
	 * each time, but the same export must give the same bytes
	 */
	VIEWTRACE_EXPORT,
};

struct viewtrace {
	struct inputs_spec spec;
	struct inputs inputs;
	struct inputs_sources sources;
	struct lines lines;
	struct timeline_source *list; /* the sources of the stage */
	char **names;
	struct stage_machine *machines;
	struct stage_vcpu **vcpus; /* virtual CPUs of each machine */
	struct tracefile **files;
	char title[128];
	struct queries *queries;
	struct stage *stage;
};

/* Opens n paths, which the caller owns. Close vt after a failure, too. */
int viewtrace_open(struct viewtrace *vt, const char *const *paths, size_t n, enum viewtrace_use use,
		   struct errmsg *err);
void viewtrace_close(struct viewtrace *vt);

#endif
