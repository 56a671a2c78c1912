// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * start.c - the constructor of the preloaded library: asks the recorder for a plan and carries it
 * out.
 *
 *	hello ─▶ answer, rings, plan ─▶ map areas ─▶ hooks into each ─▶ patches
 *
 * Runs before main(), after the libraries that this one needs; here libc may be used. If anything
 * fails, the program runs untraced, and the recorder gets a report if possible.
 */
#include "runtime/runtime_int.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>

extern void *__libc_stack_end;

struct snrt_note snrt_note(void)
{
	return (struct snrt_note){.magic = SNRT_MAGIC, .flavour = SNRT_PRELOADED};
}

/* What the C library knows of the process. */
static void note_process(const char *name)
{
	size_t len = strlen(name);

	if (len < sizeof(snrt_process.name))
		memcpy(snrt_process.name, name, len + 1);
	snrt_process.stack_end = (uint64_t)__libc_stack_end;
	snrt_process.r_debug = (uint64_t)&_r_debug;
#ifdef RSEQ_SIG
	if (__rseq_size)
		snrt_process.cpu_ptr_offset =
			(uint64_t)(__rseq_offset + (ptrdiff_t)offsetof(struct rseq, cpu_id));
#endif
}

static void start_with(const char *name)
{
	struct snrt_reply r;
	long fd;

	note_process(name);
	fd = snrt_connect();
	if (fd < 0)
		return;
	if (snrt_ask(fd, SNRT_HELLO, &r) && snrt_rings_take(&r) &&
	    !pthread_atfork(snrt_thread_before_fork, snrt_thread_in_parent, snrt_thread_in_child) &&
	    snrt_plan_take(r.fds[1], &r.answer)) {
		snrt_signals_take();
		snrt_plan_patch();
	}
	snrt_reply_close(&r);
	snrt_disconnect(fd);
}

__attribute__((constructor)) static void start(void)
{
	const char *name = secure_getenv(SNRT_ENV);
	int saved = errno;

	if (name)
		start_with(name);
	errno = saved;
}
