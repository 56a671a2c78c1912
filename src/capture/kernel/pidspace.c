// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pidspace.c - in a container tasks have other numbers than outside of it.
 *
 * What chooses tasks in the kernel (set_event_pid, filters of common_pid, BPF programs) compares with the numbers of the first
 * namespace, and so do the events themselves. Inside of another one nobody is told those: a choice would be one of tasks that
 * happen to have the numbers, and to leave ourselves out would leave somebody else out.
 *
 * The first namespace has a number that is part of what the kernel promises to programs (PROC_PID_INIT_INO).
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
		"tasks cannot be chosen here (%s): this is a pid namespace of its own (a "
		"container), and the kernel traces by the numbers that tasks have outside of "
		"it; run sonde outside, or choose by a filter, as in report -F",
		plan->only_command ? "the command alone" : "-P");
}
