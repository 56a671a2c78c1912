/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - `uftrace replay`: every call in the order of time, as C-like text.
 */
#ifndef SONDE_PRESENT_UFTRACE_REPLAY_H
#define SONDE_PRESENT_UFTRACE_REPLAY_H

#include "analyse/uftrace/walk.h"
#include "present/uftrace/out.h"

struct uft_replay_config {
	const char *fields; /* -f, NULL: default */
	const char *events; /* the text of events.txt, NULL: none */
	bool flat, no_merge, no_comment, no_args, column_view, task_newline, libname, srcline;
	int column_offset;
};

/* Prints all of it. False: a field is unknown, and o says so. */
bool uft_replay_print(struct uft_walk *w, const struct uft_replay_config *c, struct uft_out *o);

#endif
