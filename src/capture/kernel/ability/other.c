// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * other.c - the checks outside tracefs: names of functions, perf, guests.
 *
 *	/proc/kallsyms                  the first address; zeros with kptr_restrict
 *	/sys/kernel/btf/vmlinux         types of the kernel
 *	perf_event_open()               tried on our own process: a counter without side effects
 *	/sys/kernel/debug/kvm           clock offsets of guests (debugfs)
 *	socket(AF_VSOCK)                between host and guest
 *	/sys/kernel/debug/fail_function functions that can be made to fail (debugfs)
 *
 * perf_event_paranoid defines what users other than root may do with perf: 2 only their own
 * programs, 1 also the kernel's part of these, 0 whole CPUs, -1 everything.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/kernel/ability/ability_int.h"

#include "capture/inject/injection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *fmt_path(const struct probing *p, const char *path, char *buf)
{
	snprintf(buf, TRACEFS_PATH_MAX, "%s%s", p->root, path);
	return buf;
}

long ability_read_number(const struct probing *p, const char *path)
{
	char full[TRACEFS_PATH_MAX], text[64] = "";
	SCOPED(fclose_scoped) FILE *file = fopen(fmt_path(p, path, full), "re");
	bool got = file && fgets(text, sizeof(text), file);

	return got ? strtol(text, NULL, 10) : ABILITY_NO_NUMBER;
}

static void probe_kallsyms(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char full[TRACEFS_PATH_MAX], line[256] = "";
	SCOPED(fclose_scoped) FILE *file = fopen(fmt_path(p, row->arg, full), "re");
	bool shown = false;

	if (!file)
		return ability_absent(p, row, row->arg, ret);
	/* per-cpu symbols really are at 0, so check more than one */
	for (int i = 0; i < 4096 && !shown && fgets(line, sizeof(line), file); i++)
		shown = strspn(line, "0") < strcspn(line, " ");
	if (shown)
		return ability_yes(ret, "%s", row->arg);
	ability_no(ret, "the addresses in %s are hidden (kptr_restrict is %ld)", row->arg,
		   ability_read_number(p, "/proc/sys/kernel/kptr_restrict"));
	ability_remedy(ret, p->a->is_root ? "sysctl kernel.kptr_restrict=1"
					  : "run sonde as root, or sysctl kernel.kptr_restrict=0");
}

static void probe_readable(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char full[TRACEFS_PATH_MAX];

	if (access(fmt_path(p, row->arg, full), F_OK))
		return ability_absent(p, row, row->arg, ret);
	if (access(full, R_OK))
		return ability_refused(p, row->arg, -errno, ret);
	ability_yes(ret, "%s", row->arg);
}

static int try_perf(uint32_t type, uint64_t config, bool kernel)
{
	struct perf_event_attr attr = {.type = type,
				       .size = sizeof(attr),
				       .config = config,
				       .disabled = 1,
				       .exclude_kernel = !kernel,
				       .exclude_hv = 1};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void probe_perf(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	bool kernel = !strcmp(row->arg, "kernel"), hardware = !strcmp(row->arg, "hardware");
	int r = hardware ? try_perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false)
			 : try_perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, kernel);
	long paranoid = ability_read_number(p, "/proc/sys/kernel/perf_event_paranoid");

	ret->tried = true;
	if (r >= 0)
		return ability_yes(ret, "perf_event_paranoid is %ld", paranoid);
	if (r == -ENOSYS)
		return ability_absent(p, row, "perf_event_open()", ret);
	if (hardware && (r == -ENOENT || r == -EOPNOTSUPP)) {
		ability_no(ret, "the processor's counters are not available: a virtual machine "
				"without a PMU, or no driver for it");
		return ability_remedy(ret, "configure a PMU for the virtual machine on the "
					   "host (QEMU: -cpu host,pmu=on)");
	}
	if ((r == -EACCES || r == -EPERM) && paranoid != ABILITY_NO_NUMBER && !p->a->is_root) {
		ability_no(ret, "perf_event_paranoid is %ld", paranoid);
		return ability_remedy(ret,
				      "run sonde as root, or sysctl "
				      "kernel.perf_event_paranoid=%d",
				      kernel ? 1 : 2);
	}
	ability_refused(p, "perf_event_open()", r, ret);
}

static void probe_vsock(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	int fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ret->tried = true;
	if (fd < 0)
		return ability_absent(p, row, "AF_VSOCK", ret);
	close(fd);
	ability_yes(ret, "%s", "");
}

static void probe_kvm(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char full[TRACEFS_PATH_MAX];

	if (access(fmt_path(p, "/dev/kvm", full), F_OK)) {
		ability_no(ret, "this machine cannot run guests (/dev/kvm is missing)");
		return ability_remedy(ret, "modprobe kvm, on a machine with hardware "
					   "virtualization");
	}
	if (access(fmt_path(p, "/sys/kernel/debug", full), X_OK))
		return ability_refused(p, "/sys/kernel/debug", -errno, ret);
	if (!access(fmt_path(p, row->arg, full), R_OK))
		return ability_yes(ret, "%s", row->arg);
	ability_no(ret, "%s is missing: debugfs is not mounted, or kvm not loaded", row->arg);
	ability_remedy(ret, "mount -t debugfs nodev /sys/kernel/debug");
}

static void probe_inject(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	char full[TRACEFS_PATH_MAX], missing[INJECTION_MISSING_MAX];
	int fd = open(fmt_path(p, row->arg, full), O_RDWR | O_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return ability_yes(ret, "%s", row->arg);
	}
	if (errno == EPERM && p->a->is_root && lockdown_forbids_debugfs(&p->lock))
		return ability_locked(p, row->arg, ret);
	if (errno == EACCES || errno == EPERM)
		return ability_refused(p, row->arg, -errno, ret);
	if (!injection_fmt_missing(&p->config, missing, sizeof(missing)))
		return ability_absent(p, row, row->arg, ret);
	ability_no(ret, "the kernel is built without %s", missing);
	ability_remedy(ret, "a kernel with these options");
}

#define NAMES  "Names"
#define BESIDE "Beside the tracing directory"

const struct ability_row ability_rows_other[] = {
	{"kallsyms", NAMES, "addresses of kernel functions", probe_kallsyms, "/proc/kallsyms",
	 "CONFIG_KALLSYMS"},
	{"btf", NAMES, "types of the kernel: arguments by name", probe_readable,
	 "/sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF"},
	{"perf", BESIDE, "samples and counters of your own programs", probe_perf, "user",
	 "CONFIG_PERF_EVENTS"},
	{"perf-kernel", BESIDE, "with the kernel's part", probe_perf, "kernel",
	 "CONFIG_PERF_EVENTS"},
	{"perf-hardware", BESIDE, "cycles, cache misses: counters of the processor", probe_perf,
	 "hardware", "CONFIG_PERF_EVENTS"},
	{"kvm-tsc", BESIDE, "offsets of guests' clocks, to merge their traces", probe_kvm,
	 "/sys/kernel/debug/kvm", "CONFIG_KVM"},
	{"fail-function", BESIDE, "make kernel functions fail for one process: inject",
	 probe_inject, "/sys/kernel/debug/fail_function/inject", "CONFIG_FAIL_FUNCTION",
	 "mount -t debugfs nodev /sys/kernel/debug, or a kernel with CONFIG_FAIL_FUNCTION"},
	{"vsock", BESIDE, "a line to guests without a network: agent", probe_vsock, "",
	 "CONFIG_VSOCKETS", "modprobe vsock, or a kernel with CONFIG_VSOCKETS"},
};

const size_t n_ability_rows_other = ARRAY_LEN(ability_rows_other);
