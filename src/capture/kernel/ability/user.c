// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * user.c - the checks for functions of programs: what `record -u` can do here.
 *
 *	processor        the runtime exists for it, and for its size of memory pages
 *	/tmp …           a directory for the runtime's library, from which programs may be loaded
 *	memfd_create()   tried: the rings, and code that a program maps (vm.memfd_noexec forbids it)
 *	ptrace()         tried on a child; the kernel's rule for other processes is read
 *	the counter      whether its rate is known and constant
 *
 * None of them needs the tracing directory or root.
 */
#include "base/array.h"
#include "base/scope.h"
#include "capture/calls/userlibrary.h"
#include "capture/kernel/ability/ability_int.h"
#include "capture/kernel/counter.h"
#include "runtime/library.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif
#define PAGE_BYTES 4096
#if defined(__x86_64__)
#define RATE_FLAG "constant_tsc"
#else
#define RATE_FLAG "" /* the counter of aarch64 always is */
#endif

static const char *processor(struct utsname *un)
{
	return uname(un) ? "unknown" : un->machine;
}

/* Answers for everything that needs the runtime; true: it is there. */
static bool has_runtime(struct ability *ret)
{
	struct utsname un;
	long page = sysconf(_SC_PAGESIZE);

	if (!runtime_library_bytes) {
		ability_no(ret, "there are no hooks for this processor (%s)", processor(&un));
		ability_remedy(ret, "x86-64 or aarch64; as root, probes: -e 'PROGRAM:FUNCTION()'");
		return false;
	}
	if (page != PAGE_BYTES) {
		ability_no(ret, "this kernel has memory pages of %ld bytes", page);
		ability_remedy(ret, "a kernel with pages of %d bytes", PAGE_BYTES);
		return false;
	}
	return true;
}

static void probe_hooks(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	struct utsname un;

	if (has_runtime(ret))
		ability_yes(ret, "%s", processor(&un));
}

static void probe_unmodified(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	if (!has_runtime(ret))
		return;
#if defined(__x86_64__)
	ability_yes(ret, "also without symbols");
#else
	ability_yes(ret, "programs with symbols");
#endif
}

static void probe_values(struct probing *p, const struct ability_row *row, struct ability *ret)
{
#if defined(__x86_64__)
	if (has_runtime(ret))
		ability_yes(ret, "%s", "");
#else
	struct utsname un;

	ability_no(ret, "sonde does not know how this processor (%s) passes them", processor(&un));
	ability_remedy(ret, "an x86-64 machine; calls and times are recorded here, too");
#endif
}

static void probe_libraries(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	const char *place = userlibrary_find_place();

	if (!has_runtime(ret))
		return;
	if (place)
		return ability_yes(ret, "sonde's library goes to %s", place);
	ability_no(ret, "no directory of " USERLIBRARY_PLACES
			" can be written and allows programs (noexec)");
	ability_remedy(ret, "mount -o remount,exec /tmp");
}

/* Returns 0 if memory can be shared, and code in it mapped; else a negative errno. */
static int try_memory(void)
{
	int fd = memfd_create("sonde-doctor", MFD_CLOEXEC | MFD_EXEC), code = 0;
	void *memory;

	if (fd < 0 && errno == EINVAL) /* before Linux 6.3 */
		fd = memfd_create("sonde-doctor", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ftruncate(fd, PAGE_BYTES))
		code = -errno;
	memory = code ? MAP_FAILED
		      : mmap(NULL, PAGE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		code = code ? code : -errno;
	else
		munmap(memory, PAGE_BYTES);
	close(fd);
	return code;
}

static void probe_memory(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	long noexec = ability_read_number(p, "/proc/sys/vm/memfd_noexec");
	int r = try_memory();

	ret->tried = true;
	if (r >= 0)
		return ability_yes(ret, "%s", "memfd");
	if (r == -EACCES && noexec >= 2) {
		ability_no(ret, "memory with code is forbidden (vm.memfd_noexec is %ld)", noexec);
		return ability_remedy(ret, "sysctl vm.memfd_noexec=1, as root");
	}
	ability_refused(p, "memfd_create()", r, ret);
}

/* Returns 0 if a child can be attached to; else a negative errno. */
static int try_ptrace(void)
{
	pid_t pid = fork();
	int r;

	if (pid < 0)
		return -errno;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	r = ptrace(PTRACE_SEIZE, pid, NULL, NULL) ? -errno : 0;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return r;
}

static void probe_attach(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	long scope = ability_read_number(p, "/proc/sys/kernel/yama/ptrace_scope");
	struct utsname un;
	int r;

	if (!runtime_attached_bytes) {
		ability_no(ret, "sonde cannot attach on this processor (%s)", processor(&un));
		return ability_remedy(ret, "start the program with sonde: record -u PROGRAM");
	}
	if (scope >= 3) {
		ability_no(ret, "nobody may attach to processes (kernel.yama.ptrace_scope is %ld)",
			   scope);
		return ability_remedy(ret, "start the machine with ptrace_scope 0 to 2, or start "
					   "the program with sonde");
	}
	if (scope > 0 && !p->a->is_root) {
		ability_no(ret, "only root may attach (kernel.yama.ptrace_scope is %ld)", scope);
		return ability_remedy(ret,
				      "run sonde as root, or sysctl kernel.yama.ptrace_scope=0");
	}
	r = try_ptrace();
	ret->tried = true;
	if (r < 0)
		return ability_refused(p, "ptrace()", r, ret);
	ability_yes(ret, "%s", p->a->is_root ? "processes of all users" : "your own processes");
}

/* Returns true if the counter keeps its rate whatever the processor does. */
static bool is_constant(const struct probing *p)
{
	char full[TRACEFS_PATH_MAX], line[4096];
	SCOPED(fclose_scoped) FILE *file = NULL;

	if (!strcmp(RATE_FLAG, ""))
		return true;
	snprintf(full, sizeof(full), "%s/proc/cpuinfo", p->root);
	file = fopen(full, "re");
	while (file && fgets(line, sizeof(line), file))
		if (strstr(line, RATE_FLAG))
			return true;
	return false;
}

static void probe_counter(struct probing *p, const struct ability_row *row, struct ability *ret)
{
	struct counter_rate rate;

	if (!has_runtime(ret))
		return;
	if (counter_read_rate(&rate) >= 0)
		return ability_yes(ret, "its rate is known");
	if (is_constant(p))
		return ability_yes(ret, "sonde measures its rate");
	ability_no(ret, "the processor's counter is not constant (" RATE_FLAG " is missing in "
			"/proc/cpuinfo), so that times may be wrong");
	ability_remedy(ret, "another machine, or a virtual machine with this flag (QEMU: -cpu "
			    "host,+invtsc)");
}

#define PROGRAMS "Functions of programs"

const struct ability_row ability_rows_user[] = {
	{"user-hooks", PROGRAMS,
	 "record -u with compilers' hooks: -pg, -mfentry, -fpatchable-function-entry, XRay",
	 probe_hooks},
	{"user-plain", PROGRAMS, "programs that were built without hooks", probe_unmodified},
	{"user-libraries", PROGRAMS, "programs and their libraries: preload a library",
	 probe_libraries},
	{"user-values", PROGRAMS, "arguments and return values: --args", probe_values},
	{"user-memory", PROGRAMS, "memory that a program shares with sonde", probe_memory},
	{"user-attach", PROGRAMS, "running processes: record -u -P PID", probe_attach},
	{"user-clock", PROGRAMS, "exact times, from the processor's counter", probe_counter},
};

const size_t n_ability_rows_user = ARRAY_LEN(ability_rows_user);
