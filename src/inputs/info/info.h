/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * info.h - what is in a trace file: what it says about itself, and what its events are.
 *
 *	info_init ─▶ info.facts ─▶ info_release
 *
 * Counting walks all events, on all cores. From INFO_BIG_BYTES on that takes seconds and is left out unless it is asked
 * for: then only the ends of each CPU's data are read.
 */
#ifndef SONDE_INPUTS_INFO_INFO_H
#define SONDE_INPUTS_INFO_INFO_H

#include "analyse/tally.h"
#include "base/arena.h"
#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "inputs/info/traceinfo.h"
#include "inputs/inputs.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"

/* What was found in the sub-buffers. */
struct info_counts {
	bool counted; /* else spans only know times */
	struct tally tally;
	struct tally_span **spans; /* per buffer of the file and entry of its directory */
	size_t n_buffers;
};

#define INFO_BIG_BYTES (4ull << 30)

struct info_config {
	bool fast;    /* read only the ends */
	bool count;   /* count whatever its size */
	bool symbols; /* count the symbols of the kernel, too */
};

struct info {
	struct traceinfo facts;
	struct info_counts counts;
	struct arena arena;
};

/* The facts point into the file. Release it on failure, too. */
int info_init(struct info *info, struct inputs_file *file, const struct info_config *config,
	      struct errmsg *err);
void info_release(struct info *info);

/* count.c: every record. */
int info_count(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
/* Or only the first and the last record of each CPU. */
int info_edges(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
void info_counts_release(struct info_counts *c);

#endif
