// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach.c - puts the runtime into a process.
 *
 *	check ─▶ stop ─▶ map the runtime ─▶ a socket ─▶ begin: plan, areas ─▶ where are the threads?
 *	                                                                         │
 *	                         go on ◀─ patch ◀────── nobody stands in a patch ┘
 *
 * We need neither the file system nor the C library of the process. We write the runtime into
 * anonymous memory; the process makes the socket, and we take one end of it (pidfd_getfd). So it
 * works in other namespaces, in a chroot, and while a thread holds a lock.
 *
 * If a thread is in the first bytes of a function, all threads run for a millisecond; then we try
 * again.
 */
#include "capture/attach/attach.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/attach/frames.h"
#include "capture/attach/loaded.h"
#include "capture/attach/operation.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEPS_MAX  32
#define FREE_TRIES 100
#define CPU_ID_AT  4u /* in struct rseq */
#ifndef PTRACE_GET_RSEQ_CONFIGURATION
#define PTRACE_GET_RSEQ_CONFIGURATION 0x420f
#endif

static int check_libc(pid_t pid, const struct target *t, struct errmsg *err)
{
	if (t->has_libc)
		return 0;
	/* a process that ends loses its mappings first */
	if (target_has_ended(pid))
		return errmsg_set(err, -ESRCH, "process %d has ended", (int)pid);
	return errmsg_set(err, -ENOTSUP,
			  "process %d is statically linked, or does not use the C library "
			  "glibc" TARGET_INSTEAD,
			  (int)pid);
}

int attach_check(pid_t *pid, struct errmsg *err)
{
	SCOPED(target_release) struct target t = {0};

	if (!loaded_bytes() || !loaded_calls())
		return errmsg_set(err, -ENOTSUP,
				  "sonde cannot attach to processes on this processor");
	TRY(target_check(pid, err));
	TRY(target_read(&t, *pid, false, err));
	return check_libc(*pid, &t, err);
}

int attach_find_process(pid_t *pid, struct errmsg *err)
{
	return target_find_process(pid, err);
}

/*
 * --- the runtime -------------------------------------------------------------------------------
 */

static int fail(const struct operation *o, long code, const char *what, struct errmsg *err)
{
	if (code == -ESRCH)
		return errmsg_set(err, -ESRCH, "process %d has ended", (int)o->pid);
	return errmsg_set_errno(err, (int)code, "process %d cannot %s", (int)o->pid, what);
}

static bool is_error(long result)
{
	return result < 0 && result > -4096;
}

static int protect_runtime(struct operation *o)
{
	uint64_t at, n_bytes;
	int prot;

	for (unsigned i = 0; loaded_part(i, &at, &n_bytes, &prot); i++) {
		long r = operation_syscall(o, SYS_mprotect, o->base + at, n_bytes, (uint64_t)prot,
					   0, 0, 0);

		if (r < 0)
			return (int)r;
	}
	return 0;
}

static int put_runtime(struct operation *o, struct errmsg *err)
{
	size_t n_bytes = loaded_bytes();
	SCOPED(scope_free) uint8_t *memory = malloc(n_bytes);
	long base;
	int r;

	if (!memory)
		return errmsg_set_errno(err, -ENOMEM, "cannot attach");
	base = operation_syscall(o, SYS_mmap, 0, n_bytes + ARGS_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, (uint64_t)-1, 0);
	if (is_error(base))
		return fail(o, base, "map memory", err);
	o->base = (uint64_t)base;
	if (!loaded_write(memory, o->base) || !tracees_write(o->pid, o->base, memory, n_bytes))
		return fail(o, -EFAULT, "take sonde's library", err);
	r = protect_runtime(o);
	return r < 0 ? fail(o, r, "make memory executable", err) : 0;
}

static void drop_runtime(struct operation *o)
{
	if (o->base && o->remote.thread)
		operation_syscall(o, SYS_munmap, o->base, loaded_bytes() + ARGS_BYTES, 0, 0, 0, 0);
	o->base = 0;
}

/*
 * --- the socket --------------------------------------------------------------------------------
 */

/* Our copy of one of its descriptors. */
static int take_fd(pid_t pid, int fd)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), copy;

	if (process < 0)
		return -errno;
	copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	copy = copy < 0 ? -errno : copy;
	close(process);
	return copy;
}

struct adoption {
	struct operation *o;
	const struct attach_config *config;
	int result; /* of the server, or a negative errno; 1: not yet */
};

/* Both ends of the socket are there until the process closes ours. */
static void take_socket(void *ctx, long number)
{
	struct adoption *a = ctx;
	struct snrt_args args;
	int fd;

	if (number != SYS_close || a->result <= 0)
		return;
	if (!tracees_read(a->o->pid, operation_args(a->o), &args, sizeof(args))) {
		a->result = -EFAULT;
		return;
	}
	fd = take_fd(a->o->pid, args.sockets[1]);
	a->result = fd < 0 ? fd : a->config->adopt(a->config->ctx, fd);
}

/*
 * --- the plan ----------------------------------------------------------------------------------
 */

/* Where the kernel keeps the CPU's number of a thread, from the thread pointer; 0: nowhere. */
static uint64_t find_cpu_number(const struct operation *o)
{
	const struct tracee *t = o->remote.thread;
	uint64_t config[3] = {0};

	if (ptrace((enum __ptrace_request)PTRACE_GET_RSEQ_CONFIGURATION, t->tid, sizeof(config),
		   config) <= 0 ||
	    !config[0])
		return 0;
	return config[0] + CPU_ID_AT - o->remote.regs.fs_base;
}

static int begin(struct operation *o, const struct attach_config *config, struct errmsg *err)
{
	struct snrt_args args = {.stack_end = o->target.stack_end,
				 .cpu_ptr_offset = find_cpu_number(o)};
	struct adoption adoption = {o, config, 1};
	int r;

	snprintf(args.name, sizeof(args.name), "%s", config->server);
	if (!tracees_write(o->pid, operation_args(o), &args, sizeof(args)))
		return fail(o, -EFAULT, "take its arguments", err);
	r = operation_call_watched(o, SNRT_CALL_BEGIN, take_socket, &adoption);
	if (r >= 0 && !tracees_read(o->pid, operation_args(o), &args, sizeof(args)))
		r = -EFAULT;
	if (r >= 0)
		r = args.result;
	o->is_begun = r >= 0;
	if (adoption.result)
		return fail(o, adoption.result < 0 ? adoption.result : r, "make a socket", err);
	if (r >= 0)
		r = patches_read(o, SNRT_MAPPED_READY);
	return r < 0 ? fail(o, r, "take its plan", err) : 0;
}

static int set_up(struct operation *o, const struct attach_config *config, struct errmsg *err)
{
	int r;

	if (!operation_clear_threads(o, true))
		return errmsg_set(err, -ENOTSUP,
				  "process %d has threads that are not of the C library "
				  "glibc" TARGET_INSTEAD,
				  (int)o->pid);
	r = put_runtime(o, err);
	if (r >= 0)
		r = begin(o, config, err);
	if (r < 0 && !o->is_begun)
		drop_runtime(o);
	return r;
}

/*
 * --- patching ----------------------------------------------------------------------------------
 */

/* Returns true for an address in the middle of bytes that will change. */
static bool is_in_patch(const struct operation *o, uint64_t pc)
{
	return ARRAY_ANY(o->patches.n, i,
			 pc > o->patches.all[i].addr &&
				 pc < o->patches.all[i].addr + o->patches.all[i].n_bytes);
}

/* True: a handler will return there. */
static bool is_frame_in_patch(struct operation *o, uint64_t ip, uint64_t ip_at)
{
	(void)ip_at;
	return is_in_patch(o, ip);
}

/*
 * The last resort: if we are killed between a step and the next, the thread gets the signal of the
 * step, which would end the program.
 */
static bool step_out(struct operation *o, size_t i)
{
	for (int n = 0; is_in_patch(o, operation_pc(o, i)); n++)
		if (n == STEPS_MAX || &o->threads.list[i] == o->remote.thread ||
		    !tracee_step(&o->threads, &o->threads.list[i]))
			return false;
	return true;
}

static bool is_clear(struct operation *o, bool may_step)
{
	return !ARRAY_ANY(o->threads.n, i,
			  (is_in_patch(o, operation_pc(o, i)) && (!may_step || !step_out(o, i))) ||
				  frames_any(o, i, is_frame_in_patch));
}

/* 0: done, -EAGAIN: not now. */
static int put_code(struct operation *o, const struct attach_config *config, bool may_step,
		    struct errmsg *err)
{
	int r;

	if (!o->base)
		TRY(set_up(o, config, err));
	if (!is_clear(o, may_step))
		return -EAGAIN;
	r = patches_put(o, &o->result.n_failures);
	return r < 0 ? fail(o, r, "change its code", err) : 0;
}

static int try_once(struct operation *o, const struct attach_config *config, bool may_step,
		    struct errmsg *err)
{
	int r;

	TRY(operation_start(o, err));
	r = put_code(o, config, may_step, err);
	operation_stop(o);
	return r;
}

/* All threads run again. What was mapped goes, as after a recording. */
static void give_up(struct operation *o)
{
	struct attach_result unused;
	struct errmsg ignored = {0};

	attach_end(o->pid, &unused, &ignored);
}

static int attach(struct operation *o, const struct attach_config *config, struct errmsg *err)
{
	int r = -EAGAIN;

	for (unsigned i = 0; i < OPERATION_TRIES && r == -EAGAIN; i++) {
		if (i)
			operation_pause(i);
		r = try_once(o, config, i > FREE_TRIES, err);
	}
	if (r == -EAGAIN)
		errmsg_set(err, r,
			   "no thread of process %d is where sonde can attach; try again later",
			   (int)o->pid);
	if (r < 0 && o->is_begun)
		give_up(o);
	return r;
}

/*
 * --- what is there already ---------------------------------------------------------------------
 */

/* Hooks of a recording that was killed are removed. Those of a running one prevent attaching. */
static int clean(struct operation *o, struct errmsg *err)
{
	const struct snrt_note *note = &o->target.note;
	struct attach_result result;
	int r;

	if (note->magic && note->flavour == SNRT_ATTACHED && operation_has_recorder(o))
		return errmsg_set(err, -EBUSY,
				  "process %d is being recorded by sonde (process %llu)",
				  (int)o->pid, (unsigned long long)note->recorder);
	if (o->target.has_library || (note->magic && note->flavour != SNRT_ATTACHED))
		return errmsg_set(err, -EBUSY,
				  "process %d was started by 'sonde record -u' and has its hooks "
				  "already",
				  (int)o->pid);
	if (!note->magic)
		return 0;
	r = attach_end(o->pid, &result, err);
	if (r >= 0 && result.is_kept)
		return errmsg_set(err, -EBUSY,
				  "process %d still runs code of an earlier recording; try again "
				  "later",
				  (int)o->pid);
	target_release(&o->target);
	return r < 0 ? r : target_read(&o->target, o->pid, true, err);
}

static int put_hooks(struct operation *o, const struct attach_config *config, struct errmsg *err)
{
	TRY(target_read(&o->target, o->pid, true, err));
	TRY(clean(o, err));
	TRY(check_libc(o->pid, &o->target, err));
	return attach(o, config, err);
}

int attach_begin(pid_t pid, const struct attach_config *config, struct attach_result *ret,
		 struct errmsg *err)
{
	SCOPED(operation_release) struct operation o = {.pid = pid};
	struct errmsg why = {0};
	int r = put_hooks(&o, config, &why);

	/* If the process is ending, that is the cause, whatever failed. */
	if (r < 0 && target_has_ended(pid))
		r = errmsg_set(err, -ESRCH, "process %d has ended", (int)pid);
	else if (r < 0 && !err->code)
		*err = why;
	*ret = o.result;
	return r;
}
