/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.h - finds names of tasks that started after tracing began. */
#ifndef SONDE_LIVE_NAMES_H
#define SONDE_LIVE_NAMES_H

#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"

#include <stdint.h>

#define LIVENAMES_SLOTS 1024

struct usertrace;

struct livenames {
	const struct tracefs *t;
	struct usertrace *user; /* trace of the user functions; it knows their tasks; NULL: none */
	struct textbuf saved;	/* saved_cmdlines, read at saved_ns */
	uint64_t saved_ns;
	struct livename_time { /* a time by pid */
		int pid;
		uint64_t ns;
	} missing[LIVENAMES_SLOTS],	 /* times of failed look-ups */
		looked[LIVENAMES_SLOTS]; /* for livenames_is_due() */
};

void livenames_init(struct livenames *ln, const struct tracefs *t);
void livenames_release(struct livenames *ln);

/*
 * Finds a name; ctx is a struct livenames. Returns the length of the name in buf, or 0, as
 * decode/order/sequence.h requires.
 */
size_t livenames_find(void *ctx, int pid, char *buf, size_t size);

/* Reads the current name of the task. Returns 0 if the task has ended. */
size_t livenames_ask(int pid, char *buf, size_t size);
/* Returns true if the task is to be looked up again: about once a second. */
bool livenames_is_due(struct livenames *ln, int pid, uint64_t now_ns);

#endif
