/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - what the files of `sonde info` share.
 *
 *	info_count   every record: how many of which event, of which task, on which CPU
 *	info_edges   or only the first and the last record of each CPU
 *	info_gather  what the file says about itself, and the counts, as struct traceinfo
 */
#ifndef SONDE_INPUTS_INFO_INFO_H
#define SONDE_INPUTS_INFO_INFO_H

#include "analyse/tally.h"
#include "base/arena.h"
#include "base/errmsg.h"
#include "inputs/info/traceinfo.h"
#include "symbols/tasks.h"

/* What was found in the sub-buffers. */
struct info_counts {
	bool counted; /* else spans only know times */
	struct tally tally;
	struct tally_span **spans; /* per buffer of the file and entry of its directory */
	size_t n_buffers;
};

int info_count(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
int info_edges(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
void info_counts_release(struct info_counts *c);

/* Everything lives in arena, or in the other arguments. */
int info_gather(struct traceinfo *info, struct tracefile *tf, struct formats *f,
		struct tasks *tasks, const struct info_counts *c, bool count_symbols,
		struct arena *arena, struct errmsg *err);

#endif
