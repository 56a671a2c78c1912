/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * study_int.h - declarations that study.c and the kinds of questions (engines.c, stacks.c) share.
 */
#ifndef SONDE_ANALYSE_STUDY_STUDY_INT_H
#define SONDE_ANALYSE_STUDY_STUDY_INT_H

#include "analyse/calltimes.h"
#include "analyse/keycount.h"
#include "analyse/latency/latency.h"
#include "analyse/study/study.h"
#include "base/map.h"
#include "decode/formats/formats.h"

struct study_stacks;

/* The engine that answers one kind of question. */
struct study_engine {
	/*
	 * Returns 0, -ENOMEM, or another error if the trace lacks the events. After an error only
	 * free is called.
	 */
	int (*start)(struct study *s);
	void (*add)(struct study *s, const struct record *rec);
	/* Passes the remaining rows and the counts to the study. Returns 0 or -ENOMEM. */
	int (*finish)(struct study *s);
	void (*free)(struct study *s);
};

struct study {
	const struct study_spec *spec;
	struct formats *f;
	const struct study_engine *engine;
	bool is_started;
	union {
		struct {
			struct keycount *counter;
			struct keycount_config config;
			const char *events[STUDY_WORDS_MAX];
		} count;
		struct {
			struct latency *pairs;
			struct latency_config config;
		} time;
		struct {
			struct calltimes *calls;
			struct calltimes_config config;
			const char *only[STUDY_WORDS_MAX];
		} graph;
		struct study_stacks *stacks;
	};
	struct textbuf label; /* label of the row that is passed */
	struct arena arena;
	struct namepool names;
	struct map rows; /* struct study_row by label */
	struct study_row **sorted;
	size_t n_sorted;
	uint64_t n_open, n_dropped, n_seen;
};

extern const struct study_engine study_count, study_time, study_graph, study_stacks;

/* Adds these numbers to the row whose label is in s->label. */
void study_take_row(struct study *s, const struct study_row *more);

#endif
