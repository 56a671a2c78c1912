/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * askopts.h - what `sonde why` and `sonde states` have in common: files, a range of time, tasks, and where the
 * answer goes.
 *
 *	asking_open ─▶ asking_find_range, tasks_match … ─▶ asking_print ─▶ asking_close
 *
 * A command puts struct ask_options first in its options.
 */
#ifndef SONDE_CLI_ASK_ASKOPTS_H
#define SONDE_CLI_ASK_ASKOPTS_H

#include "base/options.h"
#include "base/textbuf.h"
#include "present/insight/view.h"
#include "view/trace.h"

#define ASK_WORDS_MAX 64

struct ask_options {
	const char *inputs[ASK_WORDS_MAX];
	size_t n_inputs;
	const char *tasks[ASK_WORDS_MAX]; /* --task */
	size_t n_tasks;
	const char *from, *to, *colour;
	long long n_rows;
	bool json, csv, no_pager;
};

struct asking {
	const struct ask_options *o;
	struct viewtrace vt;
	const char **machines; /* their names */
	uint64_t from, to;     /* since the trace's start */
	struct insight_view view;
};

int ask_input(void *opts, const char *value, struct errmsg *err);
int ask_task(void *opts, const char *value, struct errmsg *err);

/*
 * argv[1..n]: files besides those of -i. Opens and indexes them, and finds the range. -ENODATA with a sentence where
 * nothing tells what tasks did. Close it on failure, too.
 */
int asking_open(struct asking *a, struct ask_options *o, int n, char **argv, struct errmsg *err);
/* Prints tb, and says what the files lack. Returns the exit status or a negative errno. */
int asking_print(struct asking *a, const struct textbuf *tb, struct errmsg *err);
void asking_close(struct asking *a);

/* The tasks that a word means, of those in the trace; -ENOENT with a sentence if there are none. */
int asking_match(const struct asking *a, const char *word, uint16_t *ret, size_t max, size_t *ret_n,
		 struct errmsg *err);
/* "make-12, cc1-33 and 5 more", those that ran longest */
void asking_fmt_tasks(const struct asking *a, const uint16_t *tasks, size_t n, size_t n_all,
		      struct textbuf *tb);

#define ASK_AT(field) offsetof(struct ask_options, field)

#define ASK_ROWS_SOURCE                                                                    \
	{OPTION_CALL,                                                                      \
	 'i',                                                                              \
	 "input",                                                                          \
	 "FILE",                                                                           \
	 "read this file (default: trace.dat); several files are merged",                  \
	 .apply = ask_input,                                                               \
	 .complete = "file"},                                                              \
		{OPTION_STRING,                                                            \
		 0,                                                                        \
		 "from",                                                                   \
		 "TIME",                                                                   \
		 "start at this time, as report shows it, or +1.5s after the first event", \
		 .offset = ASK_AT(from)},                                                  \
	{                                                                                  \
		OPTION_STRING, 0, "to", "TIME", "stop at this time", .offset = ASK_AT(to)  \
	}
#define ASK_ROWS_RESULT                                                   \
	{OPTION_STRING,                                                   \
	 0,                                                               \
	 "color",                                                         \
	 "WHEN",                                                          \
	 "use colours: always, never or auto (on a terminal)",            \
	 .offset = ASK_AT(colour),                                        \
	 .complete = "always never auto"},                                \
	{                                                                 \
		OPTION_FLAG, 0, "no-pager", .help = "do not use a pager", \
					    .offset = ASK_AT(no_pager)    \
	}

#endif
