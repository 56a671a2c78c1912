// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task.c - finds what a BPF program can read about the current task and its CPU.
 *
 *  get_current_task_btf() ─▶ the task, whose type the kernel's verifier knows
 *      ─▶ pid, tgid, comm: loads
 *  btf_trace_NAME         ─▶ a program for this tracepoint has typed pointers as its arguments
 *
 *  task.se.cfs_rq.rq      ─▶ the CPU's runqueues; __preempt_count is at a fixed distance from it
 *
 * The kernel verifies loads through such pointers when it loads the program; an unreadable value is
 * 0. The kernel's BTF has the offsets of the fields.
 *
 * The last line is for x86-64, where each CPU has the count in a variable: not every kernel lists
 * the variable's address, but BTF gives its distance from the runqueues. Other architectures keep
 * the count in the task.
 */
#include "capture/bpf/source_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "capture/bpf/bpf.h"
#include "symbols/btf/btf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R0, R1 };

/*
 * --- what is read without a call ---------------------------------------------------------------
 */

static bool find_member(struct type task, const char *name, unsigned n_bytes, int *ret_offset)
{
	struct type_member m;
	struct type_facts f;

	if (type_find_member(task, name, strlen(name), &m) < 0 || m.n_bits || m.bit_offset % 8 ||
	    m.bit_offset / 8 > INT16_MAX)
		return false;
	type_get(m.type, &f);
	*ret_offset = (int)(m.bit_offset / 8);
	return f.n_bytes == n_bytes;
}

/* Returns true if the kernel accepts a program that reads the task. */
static bool is_taken(const struct bpftask *task)
{
	SCOPED(scope_free) struct bpfcode *c = malloc(sizeof(*c));
	struct errmsg ignored = {0};
	int fd = -1;

	if (!c)
		return false;
	bpfcode_init(c);
	bpfcode_call(c, BPF_FUNC_get_current_task_btf);
	bpfcode_load(c, BPF_W, R1, R0, task->pid);
	bpfcode_load(c, BPF_W, R1, R0, task->process);
	bpfcode_load(c, BPF_DW, R1, R0, task->comm + 8);
	bpfprogram_end(c);
	if (bpfcode_finish(c) >= 0)
		fd = bpf_load(BPF_PROG_TYPE_RAW_TRACEPOINT, c, &ignored);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * --- interrupts --------------------------------------------------------------------------------
 */

static bool find_type(struct type from, const char *name, struct type *ret_type, int32_t *offset)
{
	struct type_member m;

	if (type_find_member(from, name, strlen(name), &m) < 0 || m.n_bits || m.bit_offset % 8)
		return false;
	*ret_type = m.type;
	*offset += (int32_t)(m.bit_offset / 8);
	return true;
}

static bool follow(struct type *t, const char *name, int32_t offset, struct bpfsource *s)
{
	struct type_facts f;

	if (!find_type(*t, name, t, &offset))
		return false;
	type_get(*t, &f);
	*t = f.target;
	return f.kind == TYPE_POINTER && bpfsource_add_step(s, offset, BPFMEMORY_KERNEL);
}

static bool find_of_cpu(const struct btf *btf, struct type task, struct bpfsource *s)
{
	static const char section[] = ".data..percpu";
	uint32_t queue, count;
	int32_t offset = 0;
	struct type t;

	if (btf_find_variable(btf, section, "__preempt_count", &t, &count) < 0 &&
	    (btf_find_variable(btf, section, "pcpu_hot", &t, &count) < 0 ||
	     !find_type(t, "preempt_count", &t, &offset))) /* 6.2 to 6.14 */
		return false;
	if (btf_find_variable(btf, section, "runqueues", &t, &queue) < 0)
		return false;
	offset += (int32_t)(count - queue);
	count = 0;
	return find_type(task, "se", &t, (int32_t *)&count) &&
	       follow(&t, "cfs_rq", (int32_t)count, s) && follow(&t, "rq", 0, s) &&
	       bpfsource_add_step(s, offset, BPFMEMORY_KERNEL);
}

static bool find_of_task(struct type task, struct bpfsource *s)
{
	int32_t offset = 0;
	struct type t;

	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && /* the count can be half of a word */
	       find_type(task, "thread_info", &t, &offset) &&
	       find_type(t, "preempt_count", &t, &offset) &&
	       bpfsource_add_step(s, offset, BPFMEMORY_KERNEL);
}

/* Returns true if the kernel accepts a program that reads the count. */
static bool is_level_taken(const struct bpftask *task)
{
	struct bpfprogram_config config = {.hook = BPFHOOK_RAW, .task = *task, .not_process = 1};
	SCOPED(scope_free) struct bpfcode *c = malloc(sizeof(*c));
	struct errmsg ignored = {0};
	unsigned out;
	int fd;

	if (!c)
		return false;
	bpfcode_init(c);
	out = bpfcode_label(c);
	bpfprogram_begin(c, &config, true, out);
	bpfcode_place(c, out);
	bpfprogram_end(c);
	fd = bpfprogram_load(&config, c, &ignored);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void find_level(const struct btf *btf, struct type task, struct bpftask *t)
{
	const struct bpfsource empty = {.kind = BPFSOURCE_TASK, .n_bytes = 4};

	t->level = empty;
	t->has_level = find_of_cpu(btf, task, &t->level);
	if (!t->has_level) {
		t->level = empty;
		t->has_level = find_of_task(task, &t->level);
	}
	t->has_level = t->has_level && is_level_taken(t);
}

/*
 * --- the whole ---------------------------------------------------------------------------------
 */

bool bpftask_find(struct btf **btf, struct bpftask *ret_task)
{
	const struct types *world;
	struct bpftask t = {0};
	struct type task;

	*ret_task = t;
	if (!bpfsource_open_btf(btf))
		return false;
	world = btf_types(*btf);
	if (world->ops->find(world, TYPE_STRUCT, "task_struct", 11, &task) < 0)
		return false;
	t.is_known = find_member(task, "pid", 4, &t.pid) &&
		     find_member(task, "tgid", 4, &t.process) &&
		     find_member(task, "comm", BPFPROGRAM_COMM_BYTES, &t.comm) && is_taken(&t);
	find_level(*btf, task, &t);
	*ret_task = t;
	return t.is_known;
}

uint32_t bpftracepoint_find(struct btf **btf, const char *name)
{
	char type[128];
	int len = snprintf(type, sizeof(type), "btf_trace_%s", name);

	if (len >= (int)sizeof(type) || !bpfsource_open_btf(btf))
		return 0;
	return btf_typedef_number(*btf, type, (size_t)len);
}
