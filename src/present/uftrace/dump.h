/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dump.h - `uftrace dump`: the records as they are, or as JSON for Chrome's viewer.
 */
#ifndef SONDE_PRESENT_UFTRACE_DUMP_H
#define SONDE_PRESENT_UFTRACE_DUMP_H

#include "analyse/uftrace/walk.h"
#include "inputs/uftrace/data.h"
#include "present/uftrace/out.h"

/* All records of each task, then those of each CPU. Filters of the walk apply. */
void uft_dump_print(struct uftdata *d, struct uft_walk *w, const char *events, struct uft_out *o);
void uft_dump_print_chrome(struct uftdata *d, struct uft_walk *w, bool no_args, const char *version,
			   const char *date, struct uft_out *o);

#endif
