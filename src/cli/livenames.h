/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livenames.h - what a task is called that came after tracing began.
 */
#ifndef SONDE_CLI_LIVENAMES_H
#define SONDE_CLI_LIVENAMES_H

#include "capture/tracefs.h"

#include <stdint.h>

#define LIVENAMES_MISSING 1024

struct livenames {
	const struct tracefs *t;
	struct textbuf saved; /* saved_cmdlines, as of saved_ns */
	uint64_t saved_ns;
	struct { /* by pid: nobody knew it, as of ns */
		int pid;
		uint64_t ns;
	} missing[LIVENAMES_MISSING];
};

void livenames_init(struct livenames *ln, const struct tracefs *t);
void livenames_release(struct livenames *ln);

/* ctx: struct livenames. The length of the name in buf, or 0. Form as in decode/sequence.h. */
size_t livenames_find(void *ctx, int pid, char *buf, size_t size);

#endif
