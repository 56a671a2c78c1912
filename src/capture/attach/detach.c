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

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/attach/frames.h"
#include "capture/attach/loaded.h"
#include "capture/attach/operation.h"
#include "runtime/snrt.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define JUMP_BYTES 5

/* True: a handler will return to our code. */
static bool is_ours(struct operation *o, uint64_t ip, uint64_t ip_at)
{
	(void)ip_at;
	return operation_is_ours(o, ip);
}

static bool is_inside(struct operation *o, size_t i)
{
	return operation_is_ours(o, operation_pc(o, i)) || frames_any(o, i, is_ours);
}

/*
 * --- code --------------------------------------------------------------------------------------
 */

/* Where the jump leads to that is at this address; 0: there is none of ours. */
static uint64_t find_jump(const struct operation *o, uint64_t pc)
{
	for (size_t i = 0; i < o->patches.n; i++) {
		const struct snrt_patch *p = &o->patches.all[i];
		uint8_t now[JUMP_BYTES];
		int32_t distance;

		if (p->addr != pc || p->n_bytes != JUMP_BYTES || p->new_[0] != 0xe9 ||
		    !tracees_read(o->pid, pc, now, sizeof(now)) ||
		    memcmp(now, p->new_, sizeof(now)))
			continue;
		memcpy(&distance, p->new_ + 1, sizeof(distance));
		return pc + JUMP_BYTES + (uint64_t)(int64_t)distance;
	}
	return 0;
}

/* The same for a thread that a handler has interrupted there. */
static bool make_jump_later(struct operation *o, uint64_t ip, uint64_t ip_at)
{
	uint64_t to = find_jump(o, ip);

	if (to)
		tracees_write(o->pid, ip_at, &to, sizeof(to));
	return false;
}

/* A jump that a thread is about to make may be gone in a moment: its padding was borrowed. */
static void make_jump(struct operation *o, size_t i)
{
	struct tracee *t = &o->threads.list[i];
	uint64_t to = find_jump(o, operation_pc(o, i));
	struct user_regs_struct regs = t->regs;

	frames_any(o, i, make_jump_later);
	if (!to)
		return;
	if (t == o->remote.thread) {
		remote_set_pc(&o->remote, to);
		return;
	}
	regs.rip = to;
	tracee_set_regs(t, &regs);
}

/*
 * With every try: a thread that worked for a recorder that was killed may have patched code since
 * the last one.
 */
static int restore_code(struct operation *o)
{
	int r = operation_call(o, SNRT_CALL_IMAGES);

	if (r >= 0)
		r = patches_read(o, SNRT_MAPPED_PATCHED);
	if (r < 0)
		return r;
	for (size_t i = 0; i < o->threads.n && o->patches.n; i++)
		make_jump(o, i);
	/* threads that wait for an ended recorder must not delay us */
	if (!operation_has_recorder(o))
		r = operation_call(o, SNRT_CALL_QUIET);
	return r < 0 ? r : patches_remove(o, false);
}

/*
 * --- stacks ------------------------------------------------------------------------------------
 */

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
			args.n_ranges += frames_find_range(o, i, &args.ranges[args.n_ranges].low,
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

/*
 * --- the end -----------------------------------------------------------------------------------
 */

static void unmap_pieces(struct operation *o)
{
	for (size_t i = 0; i < o->target.n_pieces; i++)
		operation_syscall(o, SYS_munmap, o->target.pieces[i].begin,
				  o->target.pieces[i].end - o->target.pieces[i].begin, 0, 0, 0, 0);
}

/*
 * Nobody comes to our code any more. From here on each step leaves the process as the next recorder
 * can take it over, whenever we are killed.
 */
static int unmap_all(struct operation *o)
{
	TRY(patches_remove(o, true));
	operation_clear_threads(o, false);
	TRY(operation_call(o, SNRT_CALL_RELEASE));
	operation_syscall(o, SYS_munmap, o->base, loaded_bytes() + ARGS_BYTES, 0, 0, 0, 0);
	unmap_pieces(o);
	return 0;
}

/* 0: done; -EAGAIN: somebody is inside. */
static int remove_code(struct operation *o, bool *is_restored)
{
	if (!o->base) { /* a recorder was killed a moment before its end */
		unmap_pieces(o);
		return 0;
	}
	TRY(restore_code(o));
	*is_restored = true;
	if (ARRAY_ANY(o->threads.n, i, is_inside(o, i)))
		return -EAGAIN;
	TRY(operation_call(o, SNRT_CALL_RETURNS));
	TRY(scan_stacks(o));
	return unmap_all(o);
}

static int try_once(struct operation *o, bool *is_restored, struct errmsg *err)
{
	int r;

	TRY(operation_start(o, err));
	r = remove_code(o, is_restored);
	operation_stop(o);
	return r;
}

static int detach(struct operation *o, struct errmsg *err)
{
	bool is_restored = false;
	int r = -EAGAIN;

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

/* False: it is of another version. The base stays 0 if it is gone already. */
static bool find_runtime(struct operation *o)
{
	uint64_t base = o->target.note.runtime, n_bytes = o->target.note.runtime_bytes;
	uint8_t head[LOADED_HEAD];

	if (!tracees_read(o->pid, base, head, sizeof(head)) || memcmp(head, ELFMAG, SELFMAG))
		return true;
	o->base = base;
	return n_bytes <= loaded_bytes() && n_bytes + 4096 > loaded_bytes() && loaded_is(head);
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
	if (o.target.note.magic && o.target.note.flavour == SNRT_ATTACHED)
		r = find_runtime(&o) ? detach(&o, err)
				     : errmsg_set(err, -EPROTO,
						  "another version of sonde has hooked functions "
						  "of process %d",
						  (int)pid);
	*ret = o.result;
	operation_release(&o);
	return r;
}
