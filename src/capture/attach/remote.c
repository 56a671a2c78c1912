// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote.c - lets a thread work for us, with a signal frame on its stack that restores it.
 *
 *	stack of the thread     …                          used by the program
 *	    rsp - 128           red zone
 *	                        registers of the FPU       as from PTRACE_GETREGSET, for sigreturn
 *	    frame + 8           struct ucontext            all other registers, blocked signals
 *	    frame               address of sigreturn       where functions return to
 *	                        …                          stack of what we call
 *
 * A system call is made by two instructions of the C library, `syscall; ret`. We stop the thread
 * behind it. A function is called with `frame` as its stack, and has ended when the thread is about
 * to call rt_sigreturn(). We never let it do that: its registers are set back from here, which
 * leaves the FPU alone. Only if we are gone, rt_sigreturn() runs. So wherever the thread stands for
 * us, what it would do next leads there.
 *
 * A thread that sleeps in a system call must repeat it afterwards. The kernel decides this from the
 * registers when the thread continues, so we first change the registers as the kernel would.
 */
#include "capture/attach/remote.h"

#include "base/clock.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The kernel may keep a process from running (a frozen group); a plan takes up to 20 seconds. */
#define PATIENCE_NS   30000000000ull
#define RED_ZONE      128u
#define ROOM_BYTES    (32u << 10) /* for the frame, and for what we call */
#define XSTATE_MAX    16384u
#define XSTATE_HEAD   576u /* the legacy part and the header */
#define XSTATE_BV     512u
#define SW_BYTES_AT   464u

#define TILE_FEATURES (UINT64_C(3) << 17) /* AMX: kept only for tasks that use it */
#define SIGMASK_BYTES 8
#define RSEQ_CS_AT    8u /* in struct rseq */
#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

/* As the kernel has it (struct rt_sigframe). */
struct frame {
	uint64_t pretcode;
	uint64_t flags, link;
	uint64_t stack_sp;
	uint32_t stack_flags, stack_pad;
	uint64_t stack_size;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
	uint64_t sigmask;
};

#define UC_FLAGS     7u	     /* has extended FPU state, and a valid ss */
#define NO_ALT_STACK 0x7fffu /* flags that the kernel refuses: it keeps the signal stack */

void remote_code_find(struct remote_code *code, const uint8_t *bytes, size_t n_bytes,
		      uint64_t address)
{
	static const uint8_t call[] = {0x0f, 0x05, 0xc3};
	static const uint8_t ret[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	const uint8_t *p;

	if (!code->syscall_ret && (p = memmem(bytes, n_bytes, call, sizeof(call))))
		code->syscall_ret = address + (uint64_t)(p - bytes);
	if (!code->sigreturn && (p = memmem(bytes, n_bytes, ret, sizeof(ret))))
		code->sigreturn = address + (uint64_t)(p - bytes);
}

/*
 * --- the frame ---------------------------------------------------------------------------------
 */

/* How long the state is without features that the task does not use. */
static uint32_t xstate_bytes(uint64_t features, size_t n_bytes)
{
	uint32_t end = XSTATE_HEAD, size, offset, unused1, unused2;

	for (unsigned i = 2; i < 63; i++) {
		if (!(features >> i & 1))
			continue;
		__cpuid_count(0xd, i, size, offset, unused1, unused2);
		if (offset + size > end && offset + size <= n_bytes)
			end = offset + size;
	}
	return end;
}

/* Returns its length with the second magic number; 0: there is none. */
static size_t read_xstate(pid_t tid, uint8_t *state)
{
	struct iovec iov = {state, XSTATE_MAX};
	uint32_t eax, ebx, ecx, edx, size, sw[5];
	uint64_t used, features, magic2 = FP_XSTATE_MAGIC2;

	if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &iov) < 0 || iov.iov_len < XSTATE_HEAD ||
	    iov.iov_len > XSTATE_MAX - 4)
		return 0;
	__cpuid_count(0xd, 0, eax, ebx, ecx, edx);
	memcpy(&used, state + XSTATE_BV, sizeof(used));
	features = eax | (uint64_t)edx << 32;
	if (!(used & TILE_FEATURES))
		features &= ~TILE_FEATURES;
	size = xstate_bytes(features, iov.iov_len);
	sw[0] = FP_XSTATE_MAGIC1;
	sw[1] = size + 4;
	sw[2] = (uint32_t)features;
	sw[3] = (uint32_t)(features >> 32);
	sw[4] = size;
	memset(state + SW_BYTES_AT, 0, 48);
	memcpy(state + SW_BYTES_AT, sw, sizeof(sw));
	memcpy(state + size, &magic2, 4);
	return size + 4;
}

static void fill_frame(struct frame *f, const struct remote *r, uint64_t fpstate)
{
	const struct user_regs_struct *g = &r->regs;

	*f = (struct frame){
		.pretcode = r->code.sigreturn,
		.flags = UC_FLAGS,
		.stack_flags = NO_ALT_STACK,
		.r8 = g->r8,
		.r9 = g->r9,
		.r10 = g->r10,
		.r11 = g->r11,
		.r12 = g->r12,
		.r13 = g->r13,
		.r14 = g->r14,
		.r15 = g->r15,
		.di = g->rdi,
		.si = g->rsi,
		.bp = g->rbp,
		.bx = g->rbx,
		.dx = g->rdx,
		.ax = g->rax,
		.cx = g->rcx,
		.sp = g->rsp,
		.ip = g->rip,
		.eflags = g->eflags,
		.cs = (uint16_t)g->cs,
		.ss = (uint16_t)g->ss,
		.fpstate = fpstate,
		.sigmask = r->signals,
	};
}

static bool write_frame(struct remote *r)
{
	uint8_t state[XSTATE_MAX];
	size_t n = read_xstate(r->thread->tid, state);
	uint64_t fpstate = (r->regs.rsp - RED_ZONE - n) & ~UINT64_C(63);
	struct frame f;

	/* A function finds its stack 8 bytes off a multiple of 16. */
	r->frame = ((fpstate - sizeof(f)) & ~UINT64_C(15)) - 8;
	fill_frame(&f, r, fpstate);
	return n && tracees_write(r->pid, fpstate, state, n) &&
	       tracees_write(r->pid, r->frame, &f, sizeof(f));
}

/* As the kernel changes them when it lets a thread repeat its system call. */
static struct user_regs_struct repeat_call(struct user_regs_struct regs)
{
	long rax = (long)regs.rax;

	if ((long)regs.orig_rax >= 0 && rax <= -512 && rax >= -516) {
		if (rax == -516) /* ERESTART_RESTARTBLOCK: with what is left of a timeout */
			regs.rax = SYS_restart_syscall;
		else
			regs.rax = regs.orig_rax;
		regs.rip -= 2;
	}
	regs.orig_rax = (unsigned long long)-1;
	return regs;
}

/* A restartable sequence must not be left and entered again. */
static bool is_in_sequence(pid_t pid, pid_t tid)
{
	uint64_t config[3] = {0}, cs = 0;

	return ptrace((enum __ptrace_request)PTRACE_GET_RSEQ_CONFIGURATION, tid, sizeof(config),
		      config) > 0 &&
	       config[0] && tracees_read(pid, config[0] + RSEQ_CS_AT, &cs, sizeof(cs)) && cs;
}

/* The thread's next step is rt_sigreturn(): it goes on as it was, with its signals. */
static bool stand_ready(struct remote *r)
{
	struct user_regs_struct regs = r->regs;

	regs.rip = r->code.sigreturn;
	regs.rsp = r->frame + sizeof(uint64_t);
	return tracee_set_regs(r->thread, &regs);
}

static bool take_thread(struct remote *r, struct tracee *t, uint64_t stack_low)
{
	uint64_t all = UINT64_MAX;

	if (!stack_low || t->regs.rsp < stack_low + ROOM_BYTES || t->regs.cs != 0x33 ||
	    is_in_sequence(r->pid, t->tid) ||
	    ptrace(PTRACE_GETSIGMASK, t->tid, SIGMASK_BYTES, &r->signals) < 0)
		return false;
	r->thread = t;
	r->regs = repeat_call(t->regs);
	return write_frame(r) && stand_ready(r) &&
	       ptrace(PTRACE_SETSIGMASK, t->tid, SIGMASK_BYTES, &all) == 0;
}

int remote_open(struct remote *r, struct tracees *t, const uint64_t *stack_low,
		const struct remote_code *code)
{
	*r = (struct remote){.pid = t->pid, .all = t, .code = *code};
	if (!code->syscall_ret || !code->sigreturn)
		return -ENOSYS;
	for (size_t i = 0; i < t->n; i++)
		if (take_thread(r, &t->list[i], stack_low[i]))
			return 0;
	r->thread = NULL;
	return -EAGAIN;
}

void remote_close(struct remote *r)
{
	if (!r->thread)
		return;
	/* in this order: without its registers it would never get its signals back */
	ptrace(PTRACE_SETSIGMASK, r->thread->tid, SIGMASK_BYTES, &r->signals);
	tracee_set_regs(r->thread, &r->regs);
	r->thread = NULL;
}

void remote_set_pc(struct remote *r, uint64_t pc)
{
	r->regs.rip = pc;
	tracees_write(r->pid, r->frame + offsetof(struct frame, ip), &pc, sizeof(pc));
}

/*
 * --- running -----------------------------------------------------------------------------------
 */

/* To the beginning or the end of a system call. Signals are blocked; a stop waits until later. */
static int go_on(struct remote *r)
{
	uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
	pid_t tid = r->thread->tid;
	int status, got;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, tid, NULL, 0) < 0)
			return -ESRCH;
		got = tracees_wait(r->all, tid, until_ns, &status);
		if (got <= 0) {
			r->thread->is_stopped = got < 0;
			return got < 0 ? -ESRCH : -ETIMEDOUT;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return 0;
		if (status >> 16)
			continue;
		if (WSTOPSIG(status) == SIGSTOP)
			r->thread->stop_is_due = true;
		if (WSTOPSIG(status) == SIGSEGV || WSTOPSIG(status) == SIGBUS ||
		    WSTOPSIG(status) == SIGILL)
			return -EFAULT;
	}
}

long remote_syscall(struct remote *r, long number, const uint64_t args[6])
{
	struct user_regs_struct regs = r->regs;
	int code;

	regs.rip = r->code.syscall_ret;
	regs.rsp = r->frame;
	regs.rax = (unsigned long long)number;
	regs.rdi = args[0];
	regs.rsi = args[1];
	regs.rdx = args[2];
	regs.r10 = args[3];
	regs.r8 = args[4];
	regs.r9 = args[5];
	if (!tracee_set_regs(r->thread, &regs))
		return -ESRCH;
	code = go_on(r);
	if (!code)
		code = go_on(r);
	if (code)
		return code;
	if (ptrace(PTRACE_GETREGS, r->thread->tid, NULL, &regs) < 0)
		return -ESRCH;
	return (long)regs.rax;
}

int remote_call(struct remote *r, uint64_t function, uint64_t arg, remote_visit *visit, void *ctx)
{
	struct user_regs_struct regs = r->regs;
	int code;

	regs.rip = function;
	regs.rsp = r->frame;
	regs.rdi = arg;
	if (!tracee_set_regs(r->thread, &regs))
		return -ESRCH;
	for (;;) {
		code = go_on(r);
		if (code || ptrace(PTRACE_GETREGS, r->thread->tid, NULL, &regs) < 0)
			return code ? code : -ESRCH;
		if ((long)regs.orig_rax == SYS_rt_sigreturn)
			break;
		if (visit)
			visit(ctx, (long)regs.orig_rax);
	}
	/* This one is left out (orig_rax is -1); the thread is about to make it again. */
	return stand_ready(r) ? go_on(r) : -ESRCH;
}
