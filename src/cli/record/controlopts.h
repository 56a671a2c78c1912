/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * controlopts.h - options of record that choose among calls while they are recorded: a budget,
 * rules.
 */
#ifndef SONDE_CLI_RECORD_CONTROLOPTS_H
#define SONDE_CLI_RECORD_CONTROLOPTS_H

#include "base/options.h"
#include "live/request.h"

struct errmsg;

int controlopts_min_size(void *opts, const char *value, struct errmsg *err);
int controlopts_depth(void *opts, const char *value, struct errmsg *err);
int controlopts_min_time(void *opts, const char *value, struct errmsg *err);
int controlopts_inside(void *opts, const char *value, struct errmsg *err);
int controlopts_not_inside(void *opts, const char *value, struct errmsg *err);
int controlopts_leading_to(void *opts, const char *value, struct errmsg *err);
int controlopts_at(void *opts, const char *value, struct errmsg *err);
int controlopts_signal(void *opts, const char *value, struct errmsg *err);
int controlopts_begin(void *opts, const char *value, struct errmsg *err);
int controlopts_budget(void *opts, const char *value, struct errmsg *err);
/* -EINVAL with a message: options that need others. */
int controlopts_check(const struct live_request *o, struct errmsg *err);

/* Rules for calls, of record and stream. */
#define CONTROLOPTS_RULES                                                                          \
	ROW_CALL(0, "user-depth", "N", "record at most N nested calls of each thread",             \
		 controlopts_depth),                                                               \
		ROW_CALL(0, "user-min-time", "TIME",                                               \
			 "do not record calls that are shorter than this: 10us, 2ms",              \
			 controlopts_min_time),                                                    \
		ROW_CALL(0, "inside", "FUNC", "record only these functions and what they call",    \
			 controlopts_inside),                                                      \
		ROW_CALL(0, "not-inside", "FUNC",                                                  \
			 "do not record these functions, nor what they call",                      \
			 controlopts_not_inside),                                                  \
		ROW_CALL(0, "leading-to", "FUNC",                                                  \
			 "record only these functions and the calls that lead to them",            \
			 controlopts_leading_to),                                                  \
		ROW_CALL(0, "at", "FUNC: ACTION,…",                                                \
			 "when FUNC is called: on, off, finish, stack, counters, always, inside, " \
			 "not-inside, depth=N, min-time=TIME, limit=N, call=N",                    \
			 controlopts_at),                                                          \
		ROW_CALL(0, "signal", "SIGNAL=ACTION",                                             \
			 "when the program gets the signal, switch recording on or off, or end "   \
			 "it: on, off, finish",                                                    \
			 controlopts_signal),                                                      \
		ROW_CALL(0, "user-begin", "HOW",                                                   \
			 "begin with recording on or off; off is the default if --at or --signal " \
			 "can switch it on",                                                       \
			 controlopts_begin, .complete = "on off")

#define CONTROLOPTS                                                                                \
	ROW_CALL(0, "user-min-size", "BYTES",                                                      \
		 "record only functions whose code has at least this many bytes",                  \
		 controlopts_min_size),                                                            \
		CONTROLOPTS_RULES,                                                                 \
		ROW_CALL(                                                                          \
			0, "budget", "PERCENT",                                                    \
			"let -u cost the programs at most this part of their CPU time; functions " \
			"that are called most and say least are switched off",                     \
			controlopts_budget)

#endif
