// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * operation.c - stops a process and gives orders to one of its threads.
 *
 * The memory map is read after all threads have stopped, so it is valid until they continue. A
 * thread works for us only on its own stack, because memory below its stack pointer is unused
 * there. That is the process's first stack, or the mapping that contains the thread control block.
 */
#include "capture/attach/operation.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/attach/loaded.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_US   1000
#define MANY_TRIES 100

void operation_pause(unsigned n_tries)
{
	usleep(n_tries < MANY_TRIES ? PAUSE_US : 10 * PAUSE_US);
}

static uint64_t own_stack_low(const struct operation *o, const struct tracee *t)
{
	uint64_t low, high, sp = t->regs.rsp, tcb = t->regs.fs_base;

	if (!target_find(&o->target, sp, &low, &high))
		return 0;
	if (o->target.stack_end >= low && o->target.stack_end < high)
		return low;
	return tcb >= sp && tcb < high ? low : 0;
}

bool operation_is_ours(const struct operation *o, uint64_t pc)
{
	if (o->base && pc >= o->base && pc < o->base + loaded_bytes())
		return true;
	return ARRAY_ANY(o->target.n_pieces, i,
			 pc >= o->target.pieces[i].begin && pc < o->target.pieces[i].end);
}

/* Not a thread that has to leave our code itself. */
static int open_remote(struct operation *o)
{
	SCOPED(scope_free) uint64_t *lows = calloc(o->threads.n, sizeof(*lows));

	if (!lows)
		return -ENOMEM;
	for (size_t i = 0; i < o->threads.n; i++)
		if (!operation_is_ours(o, tracee_pc(&o->threads.list[i])))
			lows[i] = own_stack_low(o, &o->threads.list[i]);
	return remote_open(&o->remote, &o->threads, lows, &o->target.code);
}

/* The map may have changed since it was read; the code of the C library has not. */
static int read_map(struct operation *o, struct errmsg *err)
{
	struct remote_code code = o->target.code;
	struct snrt_note note = o->target.note;
	int r;

	target_release(&o->target);
	r = target_read(&o->target, o->pid, false, err);
	o->target.code = code;
	if (!o->target.note.magic)
		o->target.note = note;
	return r;
}

int operation_start(struct operation *o, struct errmsg *err)
{
	int r;

	o->since_ns = clock_now_ns();
	r = tracees_stop(&o->threads, o->pid, err);
	if (r == -EPERM || r == -EACCES)
		return target_tell_refused(o->pid, r, err);
	if (r < 0)
		return r;
	r = read_map(o, err);
	if (r >= 0) {
		r = open_remote(o);
		if (r == -ENOSYS)
			errmsg_set(err, r,
				   "process %d has a C library that sonde does not "
				   "know" TARGET_INSTEAD,
				   (int)o->pid);
	}
	if (r < 0)
		operation_stop(o);
	return r;
}

void operation_stop(struct operation *o)
{
	remote_close(&o->remote);
	tracees_resume(&o->threads);
	o->result.stopped_ns += clock_now_ns() - o->since_ns;
}

void operation_release(struct operation *o)
{
	target_release(&o->target);
	patches_release(&o->patches);
}

uint64_t operation_args(const struct operation *o)
{
	return o->base + loaded_bytes();
}

long operation_syscall(struct operation *o, long number, uint64_t a, uint64_t b, uint64_t c,
		       uint64_t d, uint64_t e, uint64_t f)
{
	return remote_syscall(&o->remote, number, (const uint64_t[]){a, b, c, d, e, f});
}

int operation_call_watched(struct operation *o, enum snrt_call call, remote_visit *visit, void *ctx)
{
	uint64_t function;

	if (!tracees_read(o->pid, o->base + loaded_calls() + call * sizeof(function), &function,
			  sizeof(function)))
		return -EFAULT;
	return remote_call(&o->remote, function, operation_args(o), visit, ctx);
}

int operation_call(struct operation *o, enum snrt_call call)
{
	return operation_call_watched(o, call, NULL, NULL);
}

/*
 * --- threads -----------------------------------------------------------------------------------
 */

uint64_t operation_pc(const struct operation *o, size_t thread)
{
	const struct tracee *t = &o->threads.list[thread];

	return t == o->remote.thread ? o->remote.regs.rip : tracee_pc(t);
}

/* The number of a thread in its own namespace. */
static uint32_t number_inside(pid_t pid, pid_t tid)
{
	char path[96], line[256];
	uint32_t number = (uint32_t)tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NSpid:", 6)) {
			const char *last = strrchr(line, '\t');

			number = last ? (uint32_t)strtoul(last, NULL, 10) : number;
		}
	if (f)
		fclose(f);
	return number;
}

bool operation_clear_threads(const struct operation *o, bool checks)
{
	static const uint8_t zeros[SNRT_TCB_BYTES];

	for (size_t i = 0; i < o->threads.n; i++) {
		const struct tracee *t = &o->threads.list[i];
		uint64_t tcb = t->regs.fs_base;
		uint32_t tid = 0;

		if (t == o->remote.thread)
			tcb = o->remote.regs.fs_base;
		if (!tracees_read(o->pid, tcb + SNRT_TCB_TID, &tid, sizeof(tid)) ||
		    (tid != (uint32_t)t->tid && tid != number_inside(o->pid, t->tid))) {
			if (checks)
				return false;
			continue;
		}
		tracees_write(o->pid, tcb + SNRT_TCB_AT, zeros, sizeof(zeros));
	}
	return true;
}

bool operation_has_recorder(const struct operation *o)
{
	unsigned long long pid = o->target.note.recorder;
	char path[64], file[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%llu/exe", pid);
	n = readlink(path, file, sizeof(file) - 1);
	file[n > 0 ? n : 0] = 0;
	return pid && strstr(file, "sonde");
}
