// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * threadstops.c - stops all threads of a process and copies them. All get the request to stop
 * before the first is waited for, so that all together need about as long as one.
 *
 * A thread in uninterruptible sleep does not stop until it wakes up. After 200 ms it is released
 * without its user stack; its kernel stack shows what it waits for.
 *
 * At most 1 MB of each stack is copied, and 256 MB of all threads.
 */
#include "capture/stacks/threadstops.h"

#include "base/clock.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define WAIT_NS	      UINT64_C(200000000)
#define ALL_MAX_BYTES (256u << 20)
#define ONE_MAX_BYTES (1u << 20)
#define ONE_MIN_BYTES (16u << 10)

static void set_registers(struct unwind_frame *f, const struct user_regs_struct *r)
{
	*f = (struct unwind_frame){.is_exact = true};
#if defined(__x86_64__)
	const uint64_t regs[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
				 r->rbp, r->rsp, r->r8,	 r->r9,	 r->r10, r->r11,
				 r->r12, r->r13, r->r14, r->r15, r->rip};
	const unsigned n = sizeof(regs) / sizeof(regs[0]);

	for (unsigned i = 0; i < n; i++)
		f->regs[i] = regs[i];
	f->known = (UINT64_C(1) << n) - 1;
#elif defined(__aarch64__)
	for (unsigned i = 0; i < 31; i++)
		f->regs[i] = r->regs[i];
	f->regs[UNWIND_SP] = r->sp;
	f->regs[UNWIND_IP] = r->pc;
	f->known = (UINT64_C(1) << 33) - 1;
#endif
}

static void copy_stack(pid_t pid, struct threadstop *s, size_t max)
{
	uint64_t sp = s->frame.regs[UNWIND_SP];
	uint8_t *bytes = malloc(max);
	struct iovec to = {bytes, max}, from = {(void *)(uintptr_t)sp, max};
	ssize_t n = bytes ? process_vm_readv(pid, &to, 1, &from, 1, 0) : -1;

	/*
	 * The kernel reads whole pages up to the end of the stack; if it refuses all, read one
	 * page.
	 */
	if (n < 0 && bytes) {
		from.iov_len = 4096 - sp % 4096;
		n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	}
	if (n <= 0) {
		free(bytes);
		return;
	}
	s->memory = (struct unwind_memory){.start = sp, .bytes = {bytes, (size_t)n}};
}

/* Waits until the thread has stopped. A stop that we have not requested is as good. */
static int wait_stop(pid_t tid, uint64_t until_ns)
{
	for (;;) {
		int status, r = waitpid(tid, &status, __WALL | WNOHANG);

		if (r == tid)
			return WIFSTOPPED(status) ? status : -ESRCH;
		if (r < 0 && errno != EINTR)
			return -ESRCH;
		if (clock_now_ns() >= until_ns)
			return -EBUSY;
		poll(NULL, 0, 1);
	}
}

/* A signal that came at the same time is passed on: it is the thread's, not ours. */
static long pending_signal(int status)
{
	bool is_event = status >> 16;

	return !is_event && WSTOPSIG(status) != SIGTRAP ? WSTOPSIG(status) : 0;
}

static void copy_one(pid_t pid, struct threadstop *s, size_t max, uint64_t until_ns)
{
	struct user_regs_struct regs;
	struct iovec io = {&regs, sizeof(regs)};
	int status = wait_stop(s->tid, until_ns);

	if (status == -EBUSY) {
		s->why = -EBUSY; /* the kernel detaches it when we end */
		return;
	}
	if (status < 0) {
		s->why = -ESRCH;
		return;
	}
	if (ptrace(PTRACE_GETREGSET, s->tid, (void *)NT_PRSTATUS, &io) < 0) {
		s->why = -errno;
	} else {
		set_registers(&s->frame, &regs);
		copy_stack(pid, s, max);
	}
	ptrace(PTRACE_DETACH, s->tid, NULL, pending_signal(status));
}

void threadstops_copy(pid_t pid, struct threadstop *stops, size_t n)
{
	size_t max = ALL_MAX_BYTES / (n ? n : 1);
	uint64_t until_ns;

	max = max > ONE_MAX_BYTES ? ONE_MAX_BYTES : max < ONE_MIN_BYTES ? ONE_MIN_BYTES : max;
	for (size_t i = 0; i < n; i++) {
		stops[i].why = 0;
		if (ptrace(PTRACE_SEIZE, stops[i].tid, NULL, NULL) < 0 ||
		    ptrace(PTRACE_INTERRUPT, stops[i].tid, NULL, NULL) < 0)
			stops[i].why = -errno;
	}
	until_ns = clock_now_ns() + WAIT_NS;
	for (size_t i = 0; i < n; i++)
		if (!stops[i].why)
			copy_one(pid, &stops[i], max, until_ns);
}

void threadstops_release(struct threadstop *stops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)stops[i].memory.bytes.data);
}
