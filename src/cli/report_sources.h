/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sources.h - the inputs of a report as one sequence of records, and how their lines look.
 */
#ifndef SONDE_CLI_REPORT_SOURCES_H
#define SONDE_CLI_REPORT_SOURCES_H

#include "base/arena.h"
#include "cli/report.h"
#include "present/line.h"

struct report_sources {
	struct report *rep;
	struct sequence *seq;
	struct line_source *list;      /* as the sequence counts its sources */
	struct source_config *configs; /* the same, as the sequence takes them */
	size_t n;
	char **prefixes;
	struct unpacker *unpacker;
	struct arena arena;
};

/* What the options say of the records that are wanted, and of their lines (but for the colour). */
struct sequence_config report_sequence_config(const struct report_options *o);
struct line_style report_line_style(const struct report_options *o);

/* Starts the sequence. Release it on failure, too. */
int report_sources_init(struct report_sources *rs, struct report *rep,
			const struct sequence_config *config, struct errmsg *err);
/* The same without a sequence: only what the sources are. For who goes through them otherwise. */
int report_sources_list(struct report_sources *rs, struct report *rep, struct errmsg *err);
void report_sources_release(struct report_sources *rs);

static inline bool report_is_top(const struct tracefile_buffer *b)
{
	return !b->name[0];
}

#endif
