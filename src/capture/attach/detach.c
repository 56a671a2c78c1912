// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * detach.c - leaves a process as it was.
 *
 *	stop ─▶ old bytes ─▶ is a thread inside of our code? ─ yes ─▶ go on for a moment, stop again
 *	                       └ no ─▶ return addresses ─▶ unwinding? ─ yes ─▶ the same
 *	                                                      └ no ─▶ unmap everything ─▶ go on
 *
 * With the old bytes, threads reach our code only by returning to it. A thread is inside if it runs
 * there, or if a signal handler interrupted it there: then its stack has a signal frame with such
 * an address. It leaves within microseconds, unless the handler sleeps. Then our code stays mapped;
 * the next recording that attaches removes it.
 *
 * When no thread is inside, we restore the return addresses of active calls: the shadow stacks have
 * all of them. So we need not wait until long calls return. But an unwinder that is just handling
 * an exception has read the addresses before. It must end first; until then it needs our tables
 * (snrt.h, SNRT_CALL_SCAN).
 */
#include "capture/attach/attach.h"

#include "base/errmsg.h"
#include "capture/attach/loaded.h"
#include "capture/attach/operation.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define JUMP_BYTES	5
#define STACK_MAX_BYTES (16u << 20)
#define STACK_STEP	(64u << 10)
#define FRAME_IP	(8 + 16 + 24 + 16 * 8) /* of rip, from the start of a signal frame */

/* The used part of a thread's stack. */
static bool find_range(const struct operation *o, size_t i, uint64_t *ret_low, uint64_t *ret_high)
{
	const struct tracee *t = &o->threads.list[i];
	uint64_t sp = t == o->remote.thread ? o->remote.regs.rsp : t->regs.rsp, low;

	*ret_low = sp & ~UINT64_C(7);
	if (!target_find(&o->target, *ret_low, &low, ret_high))
		return false;
	if (*ret_high > sp + STACK_MAX_BYTES)
		*ret_high = sp + STACK_MAX_BYTES;
	return true;
}

/* Words of a stack: does one begin a signal frame of a thread that was in our code? */
static bool has_frame(const struct operation *o, const uint64_t *words, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t ip;

		if (words[i] != o->target.code.sigreturn ||
		    !tracees_read(o->pid, address + i * 8 + FRAME_IP, &ip, sizeof(ip)))
			continue;
		if (operation_is_ours(o, ip))
			return true;
	}
	return false;
}

static bool has_frames(const struct operation *o, size_t i)
{
	uint64_t at, high, words[STACK_STEP / sizeof(uint64_t)];

	if (!find_range(o, i, &at, &high))
		return false;
	for (; at < high; at += STACK_STEP) {
		size_t n = high - at < STACK_STEP ? high - at : STACK_STEP;

		if (!tracees_read(o->pid, at, words, n))
			return false;
		if (has_frame(o, words, n / sizeof(*words), at))
			return true;
	}
	return false;
}

static bool is_inside(const struct operation *o, size_t i)
{
	return operation_is_ours(o, operation_pc(o, i)) || has_frames(o, i);
}

/* Some jumps are in the padding of functions. It is restored, so no thread may be about to jump. */
static void make_jump(struct operation *o, size_t i)
{
	struct tracee *t = &o->threads.list[i];
	uint64_t pc = operation_pc(o, i);

	for (size_t k = 0; k < o->n_patches; k++) {
		const struct snrt_patch *p = &o->patches[k];
		struct user_regs_struct regs = t->regs;
		int32_t distance;

		if (p->addr != pc || p->n_bytes != JUMP_BYTES || p->new_[0] != 0xe9)
			continue;
		memcpy(&distance, p->new_ + 1, sizeof(distance));
		if (t == o->remote.thread) {
			o->remote.regs.rip = pc + JUMP_BYTES + (uint64_t)(int64_t)distance;
			return;
		}
		regs.rip = pc + JUMP_BYTES + (uint64_t)(int64_t)distance;
		tracee_set_regs(t, &regs);
		return;
	}
}

static int restore_code(struct operation *o)
{
	int r = operation_call(o, SNRT_CALL_IMAGES);
	int32_t one = 1;

	if (r >= 0)
		r = operation_read_patches(o);
	if (r < 0)
		return r;
	for (size_t i = 0; i < o->threads.n; i++)
		make_jump(o, i);
	/* threads that wait for an ended recorder must not delay us */
	if (!operation_has_recorder(o))
		tracees_write(o->pid, operation_args(o) + offsetof(struct snrt_args, result), &one,
			      sizeof(one));
	return operation_call(o, SNRT_CALL_RESTORE);
}

static void add_registers(const struct operation *o, size_t i, uint64_t words[16])
{
	const struct tracee *t = &o->threads.list[i];
	const struct user_regs_struct *r = t == o->remote.thread ? &o->remote.regs : &t->regs;
	const uint64_t all[16] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp,
				  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	memcpy(words, all, sizeof(all));
}

/* 0: no stack leads to the runtime; -EAGAIN: one does. */
static int scan_stacks(struct operation *o)
{
	struct snrt_args args = {0};

	for (size_t i = 0; i < o->threads.n;) {
		args.n_ranges = 0;
		args.n_words = 0;
		for (; i < o->threads.n && args.n_ranges < SNRT_SCANS_MAX &&
		       args.n_words < SNRT_WORDS_MAX;
		     i++, args.n_words += 16) {
			add_registers(o, i, &args.words[args.n_words]);
			args.n_ranges += find_range(o, i, &args.ranges[args.n_ranges].low,
						    &args.ranges[args.n_ranges].high);
		}
		if (!tracees_write(o->pid, operation_args(o), &args, sizeof(args)) ||
		    operation_call(o, SNRT_CALL_SCAN) < 0 ||
		    !tracees_read(o->pid, operation_args(o), &args, sizeof(args)))
			return -EFAULT;
		if (args.result)
			return -EAGAIN;
	}
	return 0;
}

static void unmap_all(struct operation *o)
{
	operation_call(o, SNRT_CALL_RELEASE);
	operation_clear_threads(o, false);
	for (size_t i = 0; i < o->target.n_pieces; i++)
		operation_syscall(o, SYS_munmap, o->target.pieces[i].begin,
				  o->target.pieces[i].end - o->target.pieces[i].begin, 0, 0, 0, 0);
	operation_syscall(o, SYS_munmap, o->base, loaded_bytes() + ARGS_BYTES, 0, 0, 0, 0);
}

/* 0: done; -EAGAIN: somebody is inside. */
static int try_once(struct operation *o, bool *is_restored, struct errmsg *err)
{
	int r = operation_start(o, err);

	if (r < 0)
		return r;
	if (!*is_restored)
		r = restore_code(o);
	*is_restored |= r >= 0;
	for (size_t i = 0; i < o->threads.n && r >= 0; i++)
		if (is_inside(o, i))
			r = -EAGAIN;
	if (r >= 0)
		r = operation_call(o, SNRT_CALL_RETURNS);
	if (r >= 0)
		r = scan_stacks(o);
	if (r >= 0)
		unmap_all(o);
	operation_stop(o);
	return r;
}

static int detach(struct operation *o, struct errmsg *err)
{
	bool is_restored = false;
	int r = -EAGAIN;

	o->base = o->target.note.runtime;
	for (unsigned i = 0; i < OPERATION_TRIES && r == -EAGAIN; i++) {
		if (i)
			operation_pause(i);
		r = try_once(o, &is_restored, err);
	}
	o->result.is_kept = r == -EAGAIN;
	if (r == -EAGAIN && is_restored)
		r = 0;
	if (r == -ESRCH) /* it has ended, with all that it had */
		r = 0;
	return r < 0 && !err->code
		       ? errmsg_set_errno(err, r, "cannot restore the code of process %d",
					  (int)o->pid)
		       : r;
}

int attach_end(pid_t pid, struct attach_result *ret, struct errmsg *err)
{
	struct operation o = {.pid = pid};
	struct errmsg gone = {0};
	int r = target_read(&o.target, pid, true, &gone);

	if (r < 0) {
		*ret = o.result;
		return r == -ESRCH ? 0 : errmsg_set(err, r, "%s", gone.text);
	}
	if (o.target.note.magic && o.target.note.flavour == SNRT_ATTACHED) {
		if (o.target.note.runtime_bytes > loaded_bytes() ||
		    o.target.note.runtime_bytes + 4096 <= loaded_bytes())
			r = errmsg_set(
				err, -EPROTO,
				"another version of sonde has hooked functions of process %d",
				(int)pid);
		else
			r = detach(&o, err);
	}
	*ret = o.result;
	operation_release(&o);
	return r;
}
