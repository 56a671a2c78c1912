// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpftask.c - what a program in the kernel reads without a call.
 *
 *	get_current_task_btf() ─▶ the task, of which the kernel's checker knows the type ─▶ pid, tgid, comm: loads
 *	btf_trace_NAME         ─▶ a program that is loaded for this tracepoint has pointers with types as its arguments
 *
 * Loads from such pointers are checked by the kernel when the program is loaded, and what cannot be read is 0. Where the
 * fields are is in the kernel's BTF.
 */
#include "capture/bpfsource_int.h"

#include "base/errmsg.h"
#include "capture/bpf.h"
#include "symbols/btf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R0, R1 };

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

/* Does the kernel take a program that reads it? */
static bool is_taken(const struct bpftask *task)
{
	struct bpfcode *c = malloc(sizeof(*c));
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
	free(c);
	return fd >= 0;
}

bool bpftask_find(struct btf **btf, struct bpftask *ret_task)
{
	const struct types *world;
	struct bpftask t = {0};
	struct type task;

	*ret_task = t;
	if (!bpfsource_open_btf(btf))
		return false;
	world = btf_types(*btf);
	if (world->ops->find(world, TYPE_STRUCT, "task_struct", 11, &task) < 0 ||
	    !find_member(task, "pid", 4, &t.pid) || !find_member(task, "tgid", 4, &t.process) ||
	    !find_member(task, "comm", BPFPROGRAM_COMM_BYTES, &t.comm) || !is_taken(&t))
		return false;
	t.is_known = true;
	*ret_task = t;
	return true;
}

uint32_t bpftracepoint_find(struct btf **btf, const char *name)
{
	char type[128];
	int len = snprintf(type, sizeof(type), "btf_trace_%s", name);

	if (len >= (int)sizeof(type) || !bpfsource_open_btf(btf))
		return 0;
	return btf_typedef_number(*btf, type, (size_t)len);
}
