// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * privileges.c - what a recorder keeps of root's powers once everything is set up.
 *
 * The tracing directory belongs to root, and its settings are put back in the end, so the user stays
 * root. But nothing that is done from here on mounts, loads modules or reaches devices, and whoever gets
 * hold of the process by some byte in a trace shall not, either:
 *
 *	kept      files of others (the recording may lie in a user's directory), becoming another user
 *	          (files are written and the pager runs as the user who called sudo), kill (the command
 *	          may run as somebody else), reading kallsyms and maps, priorities, perf counters
 *	given up  all the rest, also for programs that are started later (a pager)
 *
 * The command and the guardian were started before and keep what they had.
 */
#include "capture/record/privileges.h"

#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON /* headers before 5.8 */
#define CAP_PERFMON 38
#endif
#define CAPABILITIES_MAX 64

#define BIT(cap)	 (UINT64_C(1) << (cap))

static const uint64_t always_kept =
	BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) |
	BIT(CAP_FSETID) | BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_KILL) | BIT(CAP_SYSLOG) |
	BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_NICE) | BIT(CAP_SYS_RESOURCE) | BIT(CAP_PERFMON);

void privileges_drop(uint64_t also_kept)
{
	const uint64_t kept = always_kept | also_kept;
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	for (int cap = 0; cap < CAPABILITIES_MAX; cap++)
		if (!(kept & BIT(cap)))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (syscall(SYS_capget, &head, data) < 0)
		return;
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].effective &= (uint32_t)(kept >> 32 * i);
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].inheritable &= (uint32_t)(kept >> 32 * i);
	}
	syscall(SYS_capset, &head, data);
}
