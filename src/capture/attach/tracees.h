/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracees.h - all threads of a process, stopped for a moment by ptrace.
 *
 *	tracees_stop      every thread stands still; its registers are known
 *	tracees_resume    every thread goes on, untraced. A process that was stopped (SIGSTOP) stays
 *	                  so
 *
 * One thread of ours does all of it: the kernel knows tracers by thread. If we are killed, the
 * kernel lets the threads go on.
 */
#ifndef SONDE_CAPTURE_ATTACH_TRACEES_H
#define SONDE_CAPTURE_ATTACH_TRACEES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct errmsg;

struct tracee {
	pid_t tid;
	bool is_stopped;
	bool stop_is_due; /* SIGSTOP came while it worked for us */
	struct user_regs_struct regs;
};

struct tracees {
	pid_t pid;
	struct tracee *list;
	size_t n, cap;
};

/* On failure all threads go on. -ESRCH: the process has ended; -EPERM; -ETIMEDOUT. */
int tracees_stop(struct tracees *t, pid_t pid, struct errmsg *err);
/* Also frees. t may be zeroed. */
void tracees_resume(struct tracees *t);

/* Writes the registers back. False: the thread is gone. */
bool tracee_set_regs(struct tracee *t, const struct user_regs_struct *regs);
/* The address at which the thread goes on, even if it has to repeat a system call. */
unsigned long tracee_pc(const struct tracee *t);
/* Runs one instruction. False: it cannot, or the thread is gone. */
bool tracee_step(struct tracees *all, struct tracee *t);
/*
 * 1: the thread tid has stopped, with the status of waitpid(). 0: not until then (clock_now_ns()).
 * -ESRCH: it has ended.
 */
int tracees_wait(struct tracees *t, pid_t tid, uint64_t until_ns, int *ret_status);

/* Reads or writes memory of the process; false: not all of it. */
bool tracees_read(pid_t pid, unsigned long address, void *to, size_t n_bytes);
bool tracees_write(pid_t pid, unsigned long address, const void *from, size_t n_bytes);

#endif
