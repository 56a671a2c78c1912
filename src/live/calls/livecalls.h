/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livecalls.h - system calls of a request: opens the trace of them, and says what is missing.
 */
#ifndef SONDE_LIVE_CALLS_LIVECALLS_H
#define SONDE_LIVE_CALLS_LIVECALLS_H

#include "capture/syscalls/systrace.h"

#include <stdbool.h>

struct errmsg;
struct live_request;
struct session;

/* A choice of calls, for both machines. */
struct livecalls_choice {
	struct sysprograms_config config;
	uint64_t calls[SYSPROGRAMS_CALL_WORDS], calls_32[SYSPROGRAMS_CALL_WORDS];
};

/* Parses "%file,read" (choice.h); NULL: all. Adds it to the request. */
int livecalls_choose(struct live_request *o, const char *text, struct errmsg *err);

/*
 * Returns true if the request is for system calls, and nothing of it needs the tracing directory.
 */
bool livecalls_are_alone(const struct live_request *o);
/*
 * Opens the trace, of the command, the chosen processes, or else of all. The message says what is
 * missing if the kernel or our rights do not suffice.
 */
int livecalls_open(struct systrace **ret, struct live_request *o, char **argv, struct errmsg *err);
/* The capabilities that reading needs (session_config.powers). */
uint64_t livecalls_powers(void);
/* From now on the command of the session, or the chosen processes, are traced. */
int livecalls_begin(struct systrace *t, const struct session *s, struct errmsg *err);
/*
 * Makes the request one for the kernel's events raw_syscalls, which need no BPF: calls without the
 * memory of their arguments.
 */
int livecalls_do_without(struct live_request *o, bool has_command, struct errmsg *err);
/* Reports losses. */
void livecalls_tell_missing(const struct live_request *o, const struct systrace *t);

#endif
