// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pidspace.c - checks whether we are in a container, where tasks have other pids than outside.
 *
 * set_event_pid, filters of common_pid and BPF programs compare with the pids of the initial
 * namespace, and events contain these pids. In another namespace these pids have another meaning: a
 * selection would select unrelated tasks with these pids, and excluding ourselves would exclude
 * another process.
 *
 * The inode number of the initial namespace is a stable part of the kernel's ABI
 * (PROC_PID_INIT_INO).
 */
#include "capture/kernel/pidspace.h"

#include "base/errmsg.h"

#include <errno.h>
#include <sys/stat.h>

#define FIRST_NAMESPACE 0xeffffffcu

bool pidspace_is_kernels(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) < 0 || st.st_ino == FIRST_NAMESPACE;
}

int pidspace_check(const struct plan *plan, struct errmsg *err)
{
	bool chooses = plan->only_command;

	for (size_t i = 0; i < plan->n_buffers; i++)
		chooses |= plan->buffers[i].pids.n > 0;
	if (!chooses || pidspace_is_kernels())
		return 0;
	return errmsg_set(
		err, -ENOTSUP,
		"cannot select tasks here (%s): this is a pid namespace (a container), but the "
		"kernel traces by the pids outside of it; run sonde outside, or use a filter, "
		"as in report -F",
		plan->only_command ? "the command alone" : "-P");
}
