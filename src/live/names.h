/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * names.h - what a task is called that came after tracing began.
 */
#ifndef SONDE_LIVE_NAMES_H
#define SONDE_LIVE_NAMES_H

#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"

#include <stdint.h>

#define LIVENAMES_SLOTS 1024

struct livenames {
	const struct tracefs *t;
	struct textbuf saved; /* saved_cmdlines, as of saved_ns */
	uint64_t saved_ns;
	struct livename_time { /* by pid */
		int pid;
		uint64_t ns;
	} missing[LIVENAMES_SLOTS],	 /* nobody knew it then */
		looked[LIVENAMES_SLOTS]; /* livenames_is_due() */
};

void livenames_init(struct livenames *ln, const struct tracefs *t);
void livenames_release(struct livenames *ln);

/* ctx: struct livenames. The length of the name in buf, or 0. Form as in decode/order/sequence.h. */
size_t livenames_find(void *ctx, int pid, char *buf, size_t size);

/* What the task itself says now; 0 if it is gone. */
size_t livenames_ask(int pid, char *buf, size_t size);
/* Is it time to ask this one again? Once a second each, about. */
bool livenames_is_due(struct livenames *ln, int pid, uint64_t now_ns);

#endif
