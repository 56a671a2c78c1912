/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_words.h - prepares a command line, as perf's own option parser accepts it, for
 * options_parse().
 */
#ifndef SONDE_CLI_AS_PERF_WORDS_H
#define SONDE_CLI_AS_PERF_WORDS_H

#include "base/options.h"

#include <stdio.h>

#define PERF_USAGE 129 /* perf's exit status for a wrong command line */

/* The text that perf prints above its rows. */
struct perf_usage {
	const char *const *lines; /* ended by NULL */
	const struct option_row *rows;
	const char *exclusive;	 /* letters of options that exclude each other */
	bool has_options_behind; /* arguments do not end the options */
};

struct perf_words {
	int argc;
	char **argv;  /* ended by NULL; [0] is unchanged */
	char **owned; /* memory to be freed */
	size_t n_owned;
	bool wants_help; /* -h */
};

/*
 * Prepares the words. Returns false if there was an error; then the error and the usage were
 * printed to stderr.
 */
bool perf_words_take(struct perf_words *w, const struct perf_usage *u, int argc, char **argv);
void perf_words_release(struct perf_words *w);

/*
 * Prepares the words and applies them to opts, as options_parse() does; the arguments are then in
 * w->argv[1..]. Returns 0, a negative errno with a message in err, or PERF_USAGE if the usage was
 * printed: the command ends with that status. The caller releases the words in any case.
 */
int perf_words_parse(struct perf_words *w, const struct perf_usage *u, void *opts, int flags,
		     int argc, char **argv, int *ret_n, struct errmsg *err);

/* Prints the usage with the rows of these letters, or with all rows (NULL). */
void perf_usage_print(const struct perf_usage *u, const char *letters, FILE *to);

#endif
