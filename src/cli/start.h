/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * start.h - what `sonde start` shares with its kind.
 */
#ifndef SONDE_CLI_START_H
#define SONDE_CLI_START_H

#include <stdbool.h>

struct errmsg;
struct record_options;
struct setup;

/* Tracing begins and the command with it; waits for its end, unless fork is set. */
int start_command(struct setup *s, const struct record_options *o, char **argv, bool fork,
		  struct errmsg *err);

#endif
