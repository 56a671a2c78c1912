/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote.h - lets a stopped thread of another process make system calls and call functions.
 *
 *	remote_open      picks a thread and keeps its state, there and here
 *	remote_syscall   a system call, in that process
 *	remote_call      a function
 *	remote_close     the thread is as it was
 *
 * We may be killed at any moment. Then the thread finishes its work and restores itself: its state
 * is on its stack as for a signal handler, and the function that it runs returns to rt_sigreturn().
 */
#ifndef SONDE_CAPTURE_ATTACH_REMOTE_H
#define SONDE_CAPTURE_ATTACH_REMOTE_H

#include "capture/attach/tracees.h"

#include <stdint.h>

/* Places in the program's code. */
struct remote_code {
	uint64_t syscall_ret; /* syscall; ret */
	uint64_t sigreturn;   /* mov $15, %rax; syscall */
};

struct remote {
	pid_t pid;
	struct tracees *all;
	struct tracee *thread; /* one of them */
	struct remote_code code;
	uint64_t frame;		      /* where its state is, on its stack */
	struct user_regs_struct regs; /* with which it goes on */
	uint64_t signals;	      /* that it blocks */
};

/* Finds the places in a piece of code that begins at an address. Those found earlier stay. */
void remote_code_find(struct remote_code *code, const uint8_t *bytes, size_t n_bytes,
		      uint64_t address);

/*
 * stack_low: of each thread (as in t->list), the lowest address of its stack, or 0 if it is not on
 * its own one. -EAGAIN: no thread is in a place where this is safe now.
 */
int remote_open(struct remote *r, struct tracees *t, const uint64_t *stack_low,
		const struct remote_code *code);
/* The result as from the kernel; -ESRCH if the thread is gone. */
long remote_syscall(struct remote *r, long number, const uint64_t args[6]);
/* Called when the function is about to make a system call, and again behind it. */
typedef void remote_visit(void *ctx, long number);
/* The function returns nothing; visit may be NULL. -EFAULT: it has failed. */
int remote_call(struct remote *r, uint64_t function, uint64_t arg, remote_visit *visit, void *ctx);
void remote_close(struct remote *r);
/* Where it goes on afterwards. */
void remote_set_pc(struct remote *r, uint64_t pc);

#endif
