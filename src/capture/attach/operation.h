/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operation.h - what attaching and detaching share: a process at a standstill, one thread that
 * works for us, the patches of its code. For this folder only.
 *
 *	operation_start    all threads stand, one of them takes orders
 *	operation_stop     all go on
 */
#ifndef SONDE_CAPTURE_ATTACH_OPERATION_H
#define SONDE_CAPTURE_ATTACH_OPERATION_H

#include "capture/attach/attach.h"
#include "capture/attach/patches.h"
#include "capture/attach/target.h"
#include "runtime/snrt.h"

#define OPERATION_TRIES 600   /* five seconds and more */
#define ARGS_BYTES	4096u /* a page behind the runtime, for struct snrt_args */

struct operation {
	pid_t pid;
	struct target target;
	struct tracees threads;
	struct remote remote;
	uint64_t since_ns;
	struct attach_result result;
	uint64_t base; /* of the runtime */
	bool is_begun; /* the runtime has made its areas */
	struct patches patches;
};

/* -EAGAIN: not now; all threads go on. */
int operation_start(struct operation *o, struct errmsg *err);
void operation_stop(struct operation *o);
void operation_release(struct operation *o);
/* Waits a little before the next try, longer after many. */
void operation_pause(unsigned n_tries);

/* Returns true if the recorder that hooked the process still runs. */
bool operation_has_recorder(const struct operation *o);

uint64_t operation_args(const struct operation *o);
/* Calls a function of the runtime (enum snrt_call). */
int operation_call(struct operation *o, enum snrt_call call);
int operation_call_watched(struct operation *o, enum snrt_call call, remote_visit *visit,
			   void *ctx);
long operation_syscall(struct operation *o, long number, uint64_t a, uint64_t b, uint64_t c,
		       uint64_t d, uint64_t e, uint64_t f);
/* Clears the runtime's variables in the threads. False: a thread is not glibc's. */
bool operation_clear_threads(const struct operation *o, bool checks);
/* Is it an address of sonde's code? */
bool operation_is_ours(const struct operation *o, uint64_t pc);
/* Returns the address at which a thread continues, even if it works for us. */
uint64_t operation_pc(const struct operation *o, size_t thread);

#endif
