/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callopts.h - what replay, graph and flame have in common: a file, which calls of it, and where
 * the result goes.
 *
 *	callrun_open ─▶ callrun_walk ─▶ callrun_close
 *
 * A command puts struct call_options first in its options.
 */
#ifndef SONDE_CLI_CALLS_CALLOPTS_H
#define SONDE_CLI_CALLS_CALLOPTS_H

#include "analyse/calls/callfilter.h"
#include "base/options.h"
#include "base/textbuf.h"
#include "cli/samples/sampleopts.h"
#include "decode/formats/formats.h"
#include "inputs/sources.h"
#include "inputs/taskwalk.h"

#define CALLOPTS_WORDS_MAX 256
#define CALLOPTS_TIDS_MAX  1024

struct call_options {
	const char *input;
	struct callfilter_word words[CALLOPTS_WORDS_MAX];
	size_t n_words;
	const char *match, *min_time, *range, *from, *to;
	long long depth;
	int tids[CALLOPTS_TIDS_MAX];
	size_t n_tids;
	bool no_kernel, kernel_only, kernel_full;
	bool json, no_pager, quiet, short_names;
	const char *colour, *output;
	struct sample_options samples;	 /* of graph and flame */
	struct callfilter_config filter; /* made of the above by callopts_settle() */
	char range_from[64], range_to[64];
};

/* A file, opened for calls. */
struct callrun {
	struct inputs_path path;
	struct inputs_spec spec;
	struct inputs in;
	struct inputs_sources src;
	struct callfilter *filter;
	uint64_t from, to; /* what to show, for callflow_config; to 0: all */
	bool in_time;
};

/* Checks the options and makes the filter of them. -EINVAL with a message. */
int callopts_settle(struct call_options *o, struct errmsg *err);

/* Opens a file with the options of o, which must stay; close it on failure, too. */
int callrun_open(struct callrun *run, const struct call_options *o, const char *path,
		 struct errmsg *err);
void callrun_close(struct callrun *run);
struct formats *callrun_formats(const struct callrun *run);
/* Goes through the file. stop: see taskwalk.h; may be NULL. */
int callrun_walk(struct callrun *run, struct taskwalk_spec spec, struct errmsg *err);
/* Warns about filters that match nothing, and about damage; the exit status. */
int callrun_finish(struct callrun *run, const struct call_options *o);

/* Is text to have colours? -EINVAL with a message. */
int callopts_find_colour(const struct call_options *o, bool *ret, struct errmsg *err);
/* Prints one text: to -o, or to standard output. */
int callopts_print(const struct call_options *o, const struct textbuf *tb, struct errmsg *err);

/* Rows call these. */
int callopts_only(void *opts, const char *value, struct errmsg *err);
int callopts_never(void *opts, const char *value, struct errmsg *err);
int callopts_callers(void *opts, const char *value, struct errmsg *err);
int callopts_hide(void *opts, const char *value, struct errmsg *err);
int callopts_depth(void *opts, const char *value, struct errmsg *err);
int callopts_tid(void *opts, const char *value, struct errmsg *err);

#define CALLOPTS_AT(field) offsetof(struct call_options, field)

#define CALLOPTS_ROWS_FILTER                                                                      \
	ROW_HEADING("which calls"),                                                               \
		ROW_STRING('i', "input", "FILE", "read this file (default: trace.dat)",           \
			   CALLOPTS_AT(input), .complete = "file"),                               \
		ROW_CALL('F', "filter", "FUNCTION",                                               \
			 "show only these functions and what they call (globs, NAME@FILE, "       \
			 "NAME@kernel; FILE: a program, library or source file)",                 \
			 callopts_only),                                                          \
		ROW_CALL('N', "notrace", "FUNCTION",                                              \
			 "do not show these functions or anything they call", callopts_never),    \
		ROW_CALL('C', "caller-filter", "FUNCTION",                                        \
			 "show only calls that lead to these functions", callopts_callers),       \
		ROW_CALL('H', "hide", "FUNCTION",                                                 \
			 "do not show these functions, but what they call", callopts_hide),       \
		ROW_STRING(0, "match", "TYPE", "names of functions are glob (default) or regex",  \
			   CALLOPTS_AT(match), .complete = "glob regex"),                         \
		ROW_CALL('D', "depth", "N", "show at most N nested calls", callopts_depth),       \
		ROW_STRING('t', "time-filter", "TIME",                                            \
			   "do not show calls shorter than this: 10us, 2ms",                      \
			   CALLOPTS_AT(min_time)),                                                \
		ROW_STRING('r', "time-range", "FROM~TO",                                          \
			   "use only this range: absolute times, or with a unit since the first " \
			   "event",                                                               \
			   CALLOPTS_AT(range)),                                                   \
		ROW_STRING(                                                                       \
			0, "from", "TIME",                                                        \
			"start at this time, as report shows it, or +1.5s after the first event", \
			CALLOPTS_AT(from)),                                                       \
		ROW_STRING(0, "to", "TIME", "stop at this time", CALLOPTS_AT(to)),                \
		ROW_CALL(0, "tid", "TID,…", "show only these tasks", callopts_tid),               \
		ROW_FLAG(0, "no-kernel", "do not show functions of the kernel",                   \
			 CALLOPTS_AT(no_kernel)),                                                 \
		ROW_FLAG(0, "kernel-only", "show only functions of the kernel",                   \
			 CALLOPTS_AT(kernel_only)),                                               \
		ROW_FLAG(0, "kernel-full",                                                        \
			 "show functions of the kernel outside of user functions, too",           \
			 CALLOPTS_AT(kernel_full)),                                               \
		ROW_FLAG(0, "short-names",                                                        \
			 "names of C++ and Rust without template arguments: std::map::find",      \
			 CALLOPTS_AT(short_names))

#define CALLOPTS_ROWS_RESULT                                                                    \
	ROW_STRING('o', "output", "FILE", "write the result to this file", CALLOPTS_AT(output), \
		   .complete = "file"),                                                         \
		ROW_STRING(0, "color", "WHEN",                                                  \
			   "use colours: always, never or auto (on a terminal)",                \
			   CALLOPTS_AT(colour), .complete = "always never auto"),               \
		ROW_FLAG(0, "no-pager", "do not use a pager", CALLOPTS_AT(no_pager)),           \
		ROW_FLAG('q', "quiet", "print no warnings", CALLOPTS_AT(quiet))

#endif
