/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reading.h - what replay, report, graph, dump and script have in common: a directory that is
 * opened and walked with the options, and where the text goes.
 *
 *	uft_reading_open ─▶ r.walk, r.text ─▶ uft_reading_close (the exit status)
 */
#ifndef SONDE_CLI_AS_UFTRACE_READING_H
#define SONDE_CLI_AS_UFTRACE_READING_H

#include "analyse/uftrace/walk.h"
#include "cli/as/uftrace/opts.h"
#include "cli/screen/output.h"
#include "inputs/uftrace/data.h"
#include "present/uftrace/out.h"

struct uft_reading {
	struct uft_opts *o;
	struct uftdata data;
	struct uft_walk *walk;
	struct output out;
	struct uft_out text;
	char *events; /* events.txt, NULL: none */
	bool has_out;
};

/*
 * Opens o->dir, with its default.opts. Returns false after a message; close it in any case.
 */
bool uft_reading_open(struct uft_reading *r, struct uft_opts *o);
/* Applies filters and makes the walk. False after a message. */
bool uft_reading_walk(struct uft_reading *r);
/* Another directory with the same options, without filters: for --diff. */
bool uft_reading_open_other(struct uft_reading *r, struct uft_opts *o, const char *dir);
/* Prints what is left. Returns status, or 1 if the output failed. */
int uft_reading_close(struct uft_reading *r, int status);

#endif
