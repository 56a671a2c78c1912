/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftracedir.h - writes the calls of a trace as a uftrace.data directory.
 *
 *	uftracedir_new ─▶ callflow with uftracedir_sink ─▶ uftracedir_finish ─▶ uftracedir_free
 *
 * uftrace reads it: replay, report, graph, dump, info. Functions get addresses of their own, in the
 * order of their first calls; the files that they come from are maps. Arguments are not written.
 */
#ifndef SONDE_PRESENT_EXPORT_UFTRACEDIR_H
#define SONDE_PRESENT_EXPORT_UFTRACEDIR_H

#include "analyse/calls/callflow.h"

struct errmsg;
struct uftracedir;

struct uftracedir_config {
	const char *path;    /* the directory, which must not exist */
	const char *cmdline; /* for `uftrace info`; NULL: unknown */
	int exit_status;     /* as wait() has it */
};

int uftracedir_new(struct uftracedir **ret, const struct uftracedir_config *config,
		   struct errmsg *err);
void uftracedir_free(struct uftracedir *d);
/* Takes the calls of programs; those of the kernel are left out. */
struct flow_sink uftracedir_sink(struct uftracedir *d);
struct uftracedir_counts {
	uint64_t n_calls;
	uint64_t n_deep; /* left out: deeper than uftrace can store */
};

/* Writes the rest. -ENODATA with a message: there are no calls of programs. */
int uftracedir_finish(struct uftracedir *d, struct uftracedir_counts *ret, struct errmsg *err);

#endif
