// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracees.c - stops the threads of a process with PTRACE_SEIZE and PTRACE_INTERRUPT.
 *
 * Neither sends a signal, so the program notices only that time passes. A signal that arrives
 * meanwhile is delivered first; the thread stops before its handler runs. New threads may appear
 * while others are being stopped, so the list is read again until it has no new one.
 *
 * A thread that sleeps in the kernel and cannot be interrupted (a parent in vfork(), a dead network
 * disk) does not stop. We wait two seconds for it.
 *
 * A process that is killed meanwhile ends only when its tracer has collected the end of each thread
 * (waitid), and the kernel reports the first thread last. So code that waits for one thread also
 * collects the ends of the others (reap_ended).
 */
#include "capture/attach/tracees.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX    65536u
#define PATIENCE_NS    2000000000ull
#define POLL_US	       50
#define EAGER_POLLS    64 /* most reports come within microseconds */
#define REAP_EVERY     16 /* polls; a millisecond or more */
#define EVENT_OF(wait) ((wait) >> 16)
#define SYSCALL_STOP   0x80 /* PTRACE_O_TRACESYSGOOD */
/* Values of rax after a system call that is to be repeated. */
#define RESTART_FIRST  (-516l)
#define RESTART_LAST   (-512l)

bool tracees_read(pid_t pid, unsigned long address, void *to, size_t n_bytes)
{
	struct iovec here = {to, n_bytes}, there = {(void *)address, n_bytes};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n_bytes;
}

bool tracees_write(pid_t pid, unsigned long address, const void *from, size_t n_bytes)
{
	struct iovec here = {(void *)from, n_bytes}, there = {(void *)address, n_bytes};

	return process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)n_bytes;
}

/*
 * --- one thread --------------------------------------------------------------------------------
 */

/* The kernel shows stops of tracees to every waitid(): only ends are taken from here. */
static void reap_ended(struct tracees *t)
{
	for (size_t i = 0; i < t->n; i++) {
		id_t tid = (id_t)t->list[i].tid;
		siginfo_t info = {0};

		if (!waitid(P_PID, tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) &&
		    info.si_pid &&
		    (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
		     info.si_code == CLD_DUMPED))
			waitid(P_PID, tid, &info, WEXITED | WNOHANG | __WALL);
	}
}

int tracees_wait(struct tracees *t, pid_t tid, uint64_t until_ns, int *ret_status)
{
	for (unsigned n = 0;; n++) {
		pid_t got = waitpid(tid, ret_status, __WALL | WNOHANG);

		if (got == tid)
			return WIFSTOPPED(*ret_status) ? 1 : -ESRCH;
		if (got < 0 && errno != EINTR)
			return -ESRCH;
		if (clock_now_ns() > until_ns)
			return 0;
		if (n < EAGER_POLLS) {
			sched_yield();
			continue;
		}
		if (n % REAP_EVERY == 0)
			reap_ended(t);
		usleep(POLL_US);
	}
}

/* Until it stops because of us; signals go on to the program. */
static int wait_stop(struct tracees *t, pid_t tid)
{
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
	bool is_signal;
	int status, r;

	while ((r = tracees_wait(t, tid, until_ns, &status)) > 0) {
		if (EVENT_OF(status) == PTRACE_EVENT_STOP)
			return 1;
		is_signal = !EVENT_OF(status) && !(WSTOPSIG(status) & SYSCALL_STOP);
		if (ptrace(PTRACE_CONT, tid, NULL, is_signal ? (long)WSTOPSIG(status) : 0) < 0)
			return -ESRCH;
	}
	return r;
}

bool tracee_set_regs(struct tracee *t, const struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_SETREGS, t->tid, NULL, regs) < 0)
		return false;
	t->regs = *regs;
	return true;
}

/* It was interrupted in a system call that it repeats: the instruction of 2 bytes before. */
static bool repeats_call(const struct user_regs_struct *regs)
{
	return (long)regs->orig_rax >= 0 && (long)regs->rax >= RESTART_FIRST &&
	       (long)regs->rax <= RESTART_LAST;
}

unsigned long tracee_pc(const struct tracee *t)
{
	return repeats_call(&t->regs) ? t->regs.rip - 2 : t->regs.rip;
}

static bool step(struct tracees *all, struct tracee *t)
{
	int status;

	do
		if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, 0) < 0 ||
		    tracees_wait(all, t->tid, clock_now_ns() + PATIENCE_NS, &status) <= 0)
			return false;
	while (EVENT_OF(status)); /* it was stopped by SIGSTOP before */
	return WSTOPSIG(status) == SIGTRAP && ptrace(PTRACE_GETREGS, t->tid, NULL, &t->regs) == 0;
}

/* Signals wait meanwhile, except the one with which the kernel reports the step. */
bool tracee_step(struct tracees *all, struct tracee *t)
{
	uint64_t mask = ~(UINT64_C(1) << (SIGTRAP - 1)), before;
	bool ok;

	if (repeats_call(&t->regs) ||
	    ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(before), &before) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask) < 0)
		return false;
	ok = step(all, t);
	ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(before), &before);
	return ok;
}

/*
 * --- all threads -------------------------------------------------------------------------------
 */

static struct tracee *find(const struct tracees *t, pid_t tid)
{
	return ARRAY_FIND(t->list, t->n, i, t->list[i].tid == tid);
}

/* The kernel says EPERM for a thread that is just ending. */
static bool is_ending(pid_t pid, pid_t tid)
{
	char path[96], line[512] = "";
	const char *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	f = fopen(path, "re");
	if (!f)
		return true;
	if (!fgets(line, sizeof(line), f))
		*line = 0;
	fclose(f);
	end = strrchr(line, ')');
	return !end || !end[1] || strchr("ZXx", end[2]);
}

/* 1: new and ours, 0: known or gone. */
static int seize(struct tracees *t, pid_t tid)
{
	if (find(t, tid))
		return 0;
	if (!ARRAY_ROOM(t->list, t->cap, t->n + 1, THREADS_MAX))
		return -ENOMEM;
	if (ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACESYSGOOD) < 0) {
		int code = errno;

		return code == ESRCH || (code == EPERM && is_ending(t->pid, tid)) ? 0 : -code;
	}
	t->list[t->n++] = (struct tracee){.tid = tid};
	return ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0 ? 0 : 1;
}

/* The number of new threads. */
static int seize_all(struct tracees *t)
{
	char path[64];
	struct dirent *e;
	int n = 0, r = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (r >= 0 && (e = readdir(dir))) {
		pid_t tid = atoi(e->d_name);

		r = tid > 0 ? seize(t, tid) : 0;
		n += r > 0;
	}
	closedir(dir);
	return r < 0 ? r : n;
}

/* One that ends meanwhile does not matter. */
static int wait_all(struct tracees *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct tracee *one = &t->list[i];
		int r = one->is_stopped ? 1 : wait_stop(t, one->tid);

		if (!r)
			return -ETIMEDOUT;
		one->is_stopped = r > 0 && ptrace(PTRACE_GETREGS, one->tid, NULL, &one->regs) == 0;
		if (!one->is_stopped)
			t->list[i--] = t->list[--t->n];
	}
	return t->n ? 0 : -ESRCH;
}

static int tell(pid_t pid, int code, struct errmsg *err)
{
	if (code == -ESRCH)
		return errmsg_set(err, code, "process %d has ended", (int)pid);
	if (code == -ETIMEDOUT)
		return errmsg_set(err, code,
				  "a thread of process %d does not stop: it sleeps in the kernel; "
				  "try again later",
				  (int)pid);
	return errmsg_set_errno(err, code, "cannot stop process %d", (int)pid);
}

int tracees_stop(struct tracees *t, pid_t pid, struct errmsg *err)
{
	int r;

	*t = (struct tracees){.pid = pid};
	do {
		r = seize_all(t);
		if (r > 0) {
			int stopped = wait_all(t);

			r = stopped < 0 ? stopped : r;
		}
	} while (r > 0);
	if (r >= 0 && !t->n)
		r = -ESRCH;
	if (r >= 0)
		return 0;
	tracees_resume(t);
	return tell(pid, r, err);
}

/* Whether no thread that has ended waits for us any more. */
static bool is_reaped(const struct tracees *t)
{
	siginfo_t info;

	return !ARRAY_ANY(
		t->n, i,
		!waitid(P_PID, (id_t)t->list[i].tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL));
}

/* The process was killed while it was stopped: it ends when we have collected all its threads. */
static void reap_all(struct tracees *t)
{
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;

	while (!is_reaped(t) && clock_now_ns() < until_ns) {
		reap_ended(t);
		usleep(POLL_US);
	}
}

/* A thread that does not stop cannot be released either: it must have stopped once. */
static void release_running(struct tracees *t, pid_t tid)
{
	if (wait_stop(t, tid) > 0)
		ptrace(PTRACE_DETACH, tid, NULL, 0);
}

void tracees_resume(struct tracees *t)
{
	bool stop_is_due = false;

	for (size_t i = 0; i < t->n; i++) {
		stop_is_due |= t->list[i].stop_is_due;
		if (t->list[i].is_stopped)
			ptrace(PTRACE_DETACH, t->list[i].tid, NULL, 0);
	}
	for (size_t i = 0; i < t->n; i++)
		if (!t->list[i].is_stopped)
			release_running(t, t->list[i].tid);
	reap_all(t);
	if (stop_is_due)
		kill(t->pid, SIGSTOP);
	free(t->list);
	*t = (struct tracees){0};
}
