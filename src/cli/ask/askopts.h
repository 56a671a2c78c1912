/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * askopts.h - the common part of `sonde why` and `sonde states`: files, a range of time, tasks, and
 * the output.
 *
 *	asking_open ─▶ asking_find_range, tasks_match … ─▶ asking_print ─▶ asking_close
 *
 * struct ask_options is the first member of a command's options.
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
	const char **machines; /* names of the machines */
	uint64_t from, to;     /* relative to the trace's start */
	struct insight_view view;
};

int ask_input(void *opts, const char *value, struct errmsg *err);
int ask_task(void *opts, const char *value, struct errmsg *err);

/*
 * Opens and indexes the files of argv[1..n] and of -i, and finds the range. Returns -ENODATA with a
 * message if the trace does not show what tasks did. Close a after a failure, too.
 */
int asking_open(struct asking *a, struct ask_options *o, int n, char **argv, struct errmsg *err);
/* Prints tb, and reports what the files lack. Returns the exit status or a negative errno. */
int asking_print(struct asking *a, const struct textbuf *tb, struct errmsg *err);
void asking_close(struct asking *a);

/*
 * Finds the tasks of the trace that a word selects. Returns -ENOENT with a message if there are
 * none.
 */
int asking_match(const struct asking *a, const char *word, uint16_t *ret, size_t max, size_t *ret_n,
		 struct errmsg *err);
/* Writes "make-12, cc1-33 and 5 more": the tasks that ran longest. */
void asking_fmt_tasks(const struct asking *a, const uint16_t *tasks, size_t n, size_t n_all,
		      struct textbuf *tb);

#define ASK_AT(field) offsetof(struct ask_options, field)

#define ASK_ROWS_SOURCE                                                                           \
	ROW_CALL('i', "input", "FILE",                                                            \
		 "read this file (default: trace.dat); several files are merged", ask_input,      \
		 .complete = "file"),                                                             \
		ROW_STRING(                                                                       \
			0, "from", "TIME",                                                        \
			"start at this time, as report shows it, or +1.5s after the first event", \
			ASK_AT(from)),                                                            \
		ROW_STRING(0, "to", "TIME", "stop at this time", ASK_AT(to))
#define ASK_ROWS_RESULT                                                                      \
	ROW_STRING(0, "color", "WHEN", "use colours: always, never or auto (on a terminal)", \
		   ASK_AT(colour), .complete = "always never auto"),                         \
		ROW_FLAG(0, "no-pager", "do not use a pager", ASK_AT(no_pager))

#endif
