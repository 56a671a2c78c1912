// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * privileges.c - the capabilities of root that a recorder keeps after the setup.
 *
 * The tracing directory belongs to root, and its settings are restored at the end, so the user
 * stays root. But no later code mounts, loads modules or accesses devices, and an attacker who
 * takes over the process through bytes in a trace must not be able to do so:
 *
 *	kept      files of others (the recording may be in a user's directory), becoming another
 *	          user (files are written and the pager runs as the user who called sudo), kill (the
 *	          command may run as another user), reading kallsyms and maps, priorities, perf
 *	          counters
 *	dropped   all others, also for programs that are started later (a pager)
 *
 * The command and the guardian were started before and keep their capabilities.
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
