/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * info.h - the contents of a trace file: its description of itself, and its events.
 *
 *	info_init ─▶ info.facts ─▶ info_release
 *
 * Counting reads all events, on all cores. For files above INFO_BIG_BYTES this takes seconds, so
 * they are counted only on request; otherwise only the ends of each CPU's data are read.
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

/* The counts of all sub-buffers. */
struct info_counts {
	bool counted; /* if false, spans contain only times */
	struct tally tally;
	struct tally_span **spans; /* spans per buffer of the file and entry of its directory */
	size_t n_buffers;
};

#define INFO_BIG_BYTES (4ull << 30)

struct info_config {
	bool fast;    /* read only the ends of each CPU's data */
	bool count;   /* count a file of any size */
	bool symbols; /* count the symbols of the kernel, too */
};

struct info {
	struct traceinfo facts;
	struct info_counts counts;
	struct arena arena;
};

/* Collects the facts, which point into the file. Release info even after a failure. */
int info_init(struct info *info, struct inputs_file *file, const struct info_config *config,
	      struct errmsg *err);
void info_release(struct info *info);

/* count.c: counts every record. */
int info_count(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
/* Reads only the first and the last record of each CPU. */
int info_edges(struct info_counts *c, struct tracefile *tf, const struct formats *f,
	       struct errmsg *err);
void info_counts_release(struct info_counts *c);

#endif
