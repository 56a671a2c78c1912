/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threadstops.h - stops the threads of a process for a moment, and copies their registers and
 * stacks.
 *
 * It uses PTRACE_SEIZE and PTRACE_INTERRUPT, which send no signal: the process is not stopped for
 * its parent, and one that was stopped stays so. If we are killed, the kernel lets the threads
 * continue. One thread of ours does all of it: the kernel knows tracers by thread.
 */
#ifndef SONDE_CAPTURE_STACKS_THREADSTOPS_H
#define SONDE_CAPTURE_STACKS_THREADSTOPS_H

#include "symbols/unwind/unwind.h"

#include <sys/types.h>

struct threadstop {
	pid_t tid;
	int why; /* 0: copied. -ESRCH: gone; -EPERM: not allowed or traced; -EBUSY: does not stop */
	struct unwind_frame frame;
	struct unwind_memory memory; /* of the stack; its bytes are owned */
};

/*
 * Copies the registers and stacks of n threads, whose tid is set. All run again before it returns.
 */
void threadstops_copy(pid_t pid, struct threadstop *stops, size_t n);
void threadstops_release(struct threadstop *stops, size_t n);

#endif
