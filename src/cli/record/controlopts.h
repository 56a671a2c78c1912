/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * controlopts.h - options of record that choose among calls while they are recorded: a budget.
 */
#ifndef SONDE_CLI_RECORD_CONTROLOPTS_H
#define SONDE_CLI_RECORD_CONTROLOPTS_H

#include "base/options.h"
#include "live/request.h"

struct errmsg;

int controlopts_min_size(void *opts, const char *value, struct errmsg *err);
int controlopts_budget(void *opts, const char *value, struct errmsg *err);
/* -EINVAL with a message: options that need others. */
int controlopts_check(const struct live_request *o, struct errmsg *err);

#define CONTROLOPTS                                                                                \
	ROW_CALL(0, "user-min-size", "BYTES",                                                      \
		 "record only functions whose code has at least this many bytes",                  \
		 controlopts_min_size),                                                            \
		ROW_CALL(                                                                          \
			0, "budget", "PERCENT",                                                    \
			"let -u cost the programs at most this part of their CPU time; functions " \
			"that are called most and say least are switched off",                     \
			controlopts_budget)

#endif
