/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * data.h - an opened uftrace.data directory: names, records, and which values were recorded.
 *
 *	uftdata_open ─▶ uftdata_walk_config, then analyse/uftrace/walk.h ─▶ uftdata_close
 */
#ifndef SONDE_INPUTS_UFTRACE_DATA_H
#define SONDE_INPUTS_UFTRACE_DATA_H

#include "analyse/uftrace/kernel.h"
#include "analyse/uftrace/walk.h"
#include "base/files/mapfile.h"
#include "store/uftrace/dir.h"
#include "symbols/uftrace/session.h"

struct uftdata {
	struct uftdir dir;
	struct uft_names names;
	struct uft_names_reader reader;
	struct uft_triggers
		triggers; /* the values that were recorded; a command adds its filters */
	struct uft_stream *streams;
	struct mapfile *maps; /* of streams and CPUs */
	size_t n_streams, n_maps;
	struct uft_perf *perfs;
	size_t n_perfs;
	struct uft_kernel *kernel; /* NULL: it was not recorded */
	char *kernel_header;
	bool has_names;
};

/* -ENOENT, -EINVAL … with a message. Close it on failure, too. */
int uftdata_open(struct uftdata *d, const char *path, enum uft_names_how how, bool is_glob,
		 struct errmsg *err);
void uftdata_close(struct uftdata *d);

/* What a walk needs of the directory; the rest are zeros, depth and max_stack excepted. */
void uftdata_walk_config(struct uftdata *d, struct uft_walk_config *ret);
/* The text of a file such as default.opts, for free(); NULL: there is none. */
char *uftdata_text(const struct uftdata *d, const char *name);
/* Gives each task the name that its last event "task-name" has. */
void uftdata_learn_names(struct uftdata *d);
/* Names of events by number: lines "EVENT: ID SYSTEM:NAME", for free(); NULL: no memory. */
char *uftdata_events(const struct uftdata *d);

#endif
