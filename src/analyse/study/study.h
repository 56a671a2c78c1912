/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * study.h - answers small questions about a trace, which are written as a line of words.
 *
 *	count EVENT… [by FIELD…]                      number of events for each value of the fields
 *	time EVENT… to EVENT… [by KEY…] [per FIELD…]  time from one event to the other, matched by
 *	                                              the keys
 *	stacks EVENT… [beyond FUNCTION…]              kernel stacks of the event; for an interrupt:
 *	                                              the interrupted code, beyond the interrupt's
 *	                                              entry
 *	graph [FUNCTION…]                             time in functions, of a function_graph trace
 *
 * Each may end in "top N" (rows to show) and "as WORDS" (the title). EVENT is SYSTEM:EVENT, EVENT
 * or SYSTEM:*; FIELD is a field of the event or one of CPU, COMM, PID, TASK, EVENT, and FIELD/WORDS
 * is the same with another heading (a _ stands for a blank); KEY is a FIELD, or FIELD=FIELD if the
 * two events have different names for it.
 *
 *  study_parse ─▶ study_new ─▶ study_add … (in the order of time) ─▶ study_finish
 *      ─▶ rows ─▶ study_free
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_STUDY_STUDY_H
#define SONDE_ANALYSE_STUDY_STUDY_H

#include "decode/formats/formats.h"
#include "decode/record.h"

struct errmsg;
struct study;

#define STUDY_WORDS_MAX	 8
#define STUDY_FIELDS_MAX 4
#define STUDY_WORD_MAX	 96

enum study_kind { STUDY_COUNT, STUDY_TIME, STUDY_STACKS, STUDY_GRAPH };

struct study_key {
	char from[STUDY_WORD_MAX], to[STUDY_WORD_MAX];
};

struct study_spec {
	enum study_kind kind;
	char title[200];
	char from[STUDY_WORDS_MAX][STUDY_WORD_MAX], to[STUDY_WORDS_MAX][STUDY_WORD_MAX];
	size_t n_from, n_to; /* number of events; for graph: of functions */
	struct study_key keys[STUDY_FIELDS_MAX];
	size_t n_keys;
	char groups[STUDY_FIELDS_MAX][STUDY_WORD_MAX];
	char headings[STUDY_FIELDS_MAX][STUDY_WORD_MAX];
	size_t n_groups;
	char beyond[STUDY_WORDS_MAX][STUDY_WORD_MAX]; /* for stacks: globs of functions */
	size_t n_beyond;
	unsigned top;  /* number of rows to show; 0: all */
	bool with_own; /* count the activity of sonde itself, too; set by the caller */
};

struct study_row {
	const char *label;   /* values separated by tabs; functions separated by newlines */
	uint64_t n;	     /* number of events */
	uint64_t total, max; /* for time and graph: ns */
	uint64_t self;	     /* for graph: time without called functions */
	/* for time: 99 % of the durations are not longer; up to an eighth too high */
	uint64_t p99;
	uint64_t max_ts; /* end of the longest duration */
};

/* The number of events and the time range of the whole trace. */
struct study_range {
	uint64_t n_events, first, last; /* times of the records */
	uint64_t n_gaps;		/* places where events were lost */
};

void study_range_add(struct study_range *range, const struct record *rec);

/* Parses a question. Returns -EINVAL with a message that names the unknown word. */
int study_parse(struct study_spec *spec, const char *line, struct errmsg *err);

/* Creates a study. spec must stay valid. Returns NULL if out of memory. */
struct study *study_new(const struct study_spec *spec, struct formats *f);
void study_free(struct study *s);

void study_add(struct study *s, const struct record *rec);
/* Sorts the rows, those with the most time or the highest count first. Returns 0 or -ENOMEM. */
int study_finish(struct study *s);

const struct study_spec *study_spec(const struct study *s);
/* Returns the rows, after study_finish(). */
const struct study_row *const *study_rows(const struct study *s, size_t *ret_n);
/* Returns the number of starts without an end. */
uint64_t study_n_open(const struct study *s);
/*
 * Returns the number of the question's events, with or without a result; for graph: of functions.
 */
uint64_t study_n_seen(const struct study *s);
/* Returns the number of events that did not fit into memory. */
uint64_t study_n_dropped(const struct study *s);

#endif
