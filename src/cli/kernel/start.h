/* SPDX-License-Identifier: GPL-2.0-or-later */
/* start.h - declarations that `sonde start` shares with similar commands. */
#ifndef SONDE_CLI_KERNEL_START_H
#define SONDE_CLI_KERNEL_START_H

#include <stdbool.h>

struct errmsg;
struct live_request;
struct setup;

/* Starts tracing and the command. Waits for its end, unless fork is set. */
int start_command(struct setup *s, const struct live_request *o, char **argv, bool fork,
		  struct errmsg *err);

#endif
