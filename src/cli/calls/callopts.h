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

/* clang-format off */
#define CALLOPTS_ROWS_FILTER                                                                      \
	{.kind = OPTION_HEADING, .help = "which calls"},                                          \
	{.kind = OPTION_STRING, .letter = 'i', .name = "input", .arg = "FILE",                    \
	 .help = "read this file (default: trace.dat)", .offset = CALLOPTS_AT(input),             \
	 .complete = "file"},                                                                     \
	{.kind = OPTION_CALL, .letter = 'F', .name = "filter", .arg = "FUNCTION",                 \
	 .help = "show only these functions and what they call (globs, NAME@FILE, NAME@kernel; "  \
		 "FILE: a program, library or source file)",                                      \
	 .apply = callopts_only},                                                                 \
	{.kind = OPTION_CALL, .letter = 'N', .name = "notrace", .arg = "FUNCTION",                \
	 .help = "do not show these functions or anything they call", .apply = callopts_never},   \
	{.kind = OPTION_CALL, .letter = 'C', .name = "caller-filter", .arg = "FUNCTION",          \
	 .help = "show only calls that lead to these functions", .apply = callopts_callers},      \
	{.kind = OPTION_CALL, .letter = 'H', .name = "hide", .arg = "FUNCTION",                   \
	 .help = "do not show these functions, but what they call", .apply = callopts_hide},      \
	{.kind = OPTION_STRING, .name = "match", .arg = "TYPE",                                   \
	 .help = "names of functions are glob (default) or regex", .offset = CALLOPTS_AT(match),  \
	 .complete = "glob regex"},                                                               \
	{.kind = OPTION_CALL, .letter = 'D', .name = "depth", .arg = "N",                         \
	 .help = "show at most N nested calls", .apply = callopts_depth},                         \
	{.kind = OPTION_STRING, .letter = 't', .name = "time-filter", .arg = "TIME",              \
	 .help = "do not show calls shorter than this: 10us, 2ms",                                \
	 .offset = CALLOPTS_AT(min_time)},                                                        \
	{.kind = OPTION_STRING, .letter = 'r', .name = "time-range", .arg = "FROM~TO",            \
	 .help = "use only this range: absolute times, or with a unit since the first event",     \
	 .offset = CALLOPTS_AT(range)},                                                           \
	{.kind = OPTION_STRING, .name = "from", .arg = "TIME",                                    \
	 .help = "start at this time, as report shows it, or +1.5s after the first event",        \
	 .offset = CALLOPTS_AT(from)},                                                            \
	{.kind = OPTION_STRING, .name = "to", .arg = "TIME", .help = "stop at this time",         \
	 .offset = CALLOPTS_AT(to)},                                                              \
	{.kind = OPTION_CALL, .name = "tid", .arg = "TID,…", .help = "show only these tasks",     \
	 .apply = callopts_tid},                                                                  \
	{.kind = OPTION_FLAG, .name = "no-kernel", .help = "do not show functions of the kernel", \
	 .offset = CALLOPTS_AT(no_kernel)},                                                       \
	{.kind = OPTION_FLAG, .name = "kernel-only",                                              \
	 .help = "show only functions of the kernel", .offset = CALLOPTS_AT(kernel_only)},        \
	{.kind = OPTION_FLAG, .name = "kernel-full",                                              \
	 .help = "show functions of the kernel outside of user functions, too",                   \
	 .offset = CALLOPTS_AT(kernel_full)},                                                     \
	{.kind = OPTION_FLAG, .name = "short-names",                                              \
	 .help = "names of C++ and Rust without template arguments: std::map::find",              \
	 .offset = CALLOPTS_AT(short_names)}

#define CALLOPTS_ROWS_RESULT                                                                      \
	{.kind = OPTION_STRING, .letter = 'o', .name = "output", .arg = "FILE",                   \
	 .help = "write the result to this file", .offset = CALLOPTS_AT(output),                  \
	 .complete = "file"},                                                                     \
	{.kind = OPTION_STRING, .name = "color", .arg = "WHEN",                                   \
	 .help = "use colours: always, never or auto (on a terminal)",                            \
	 .offset = CALLOPTS_AT(colour), .complete = "always never auto"},                         \
	{.kind = OPTION_FLAG, .name = "no-pager", .help = "do not use a pager",                   \
	 .offset = CALLOPTS_AT(no_pager)},                                                        \
	{.kind = OPTION_FLAG, .letter = 'q', .name = "quiet", .help = "print no warnings",        \
	 .offset = CALLOPTS_AT(quiet)}
/* clang-format on */

#endif
