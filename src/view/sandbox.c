// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sandbox.c - limits what the viewer's process may do after setup.
 *
 * The viewer parses files from others and answers requests from any local program. If a file or a
 * request exploits a bug, the damage must be small:
 *
 *	Landlock   files: the traces for reading, the cache for writing, nothing else
 *	seccomp    system calls: those of a server with threads, listed below. No new programs, no
 *	           executable memory, no sockets except accepted ones, no other processes, no
 *	           signals to them.
 *
 * A call that is not listed fails with EPERM instead of killing the program, so that a C library
 * that tries something new gets an error. clone3 passes its flags in memory, which a filter cannot
 * read; it fails with ENOSYS, so that C libraries fall back to clone, and clone may only create
 * threads.
 */
#include "view/sandbox.h"
#include "base/scope.h"
#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- files ------------------------------------------------------------------------------------ */

/* Rights that later versions of Landlock added, by version. */
#define FS_V1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

static int add_path(int rules, const char *path, uint64_t rights, struct errmsg *err)
{
	struct landlock_path_beneath_attr beneath = {.allowed_access = rights};
	int r = 0;

	beneath.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (beneath.parent_fd < 0)
		return errmsg_set_errno(err, -errno, "cannot open %s", path);
	if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) < 0)
		r = errmsg_set_errno(err, -errno, "cannot restrict access to %s", path);
	close(beneath.parent_fd);
	return r;
}

int sandbox_paths(const char *const *read, size_t n_read, const char *cache, struct errmsg *err)
{
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = {.handled_access_fs = FS_V1};
	uint64_t file = LANDLOCK_ACCESS_FS_READ_FILE;
	SCOPED(scope_close) int rules = -1;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return errmsg_set_errno(err, -errno, "cannot give up privileges");
	if (version < 1)
		return 0;
	if (version >= 2)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		attr.handled_access_fs |= LANDLOCK_ACCESS_FS_TRUNCATE;
	rules = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.handled_access_fs), 0);
	if (rules < 0)
		return errmsg_set_errno(err, -errno, "cannot restrict access to files");
	for (size_t i = 0; i < n_read; i++)
		TRY(add_path(rules, read[i], file, err));
	if (cache)
		TRY(add_path(rules, cache,
			     attr.handled_access_fs & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE, err));
	if (syscall(SYS_landlock_restrict_self, rules, 0) < 0)
		return errmsg_set_errno(err, -errno, "cannot restrict access to files");
	return 1;
}

/* --- system calls ----------------------------------------------------------------------------- */

static const int always[] = {
	/* accepted sockets, and eventfds and pipes between threads */
	SCMP_SYS(accept),
	SCMP_SYS(accept4),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(shutdown),
	SCMP_SYS(setsockopt),
	SCMP_SYS(getsockopt),
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(eventfd2),
	SCMP_SYS(pipe2),
	SCMP_SYS(pipe),
	SCMP_SYS(sendfile),
	/* open files; fcntl has conditions */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(lseek),
	/* memory; mmap and mprotect have conditions */
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	SCMP_SYS(mincore),
	/* threads; tgkill has a condition */
	SCMP_SYS(futex),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(membarrier),
	SCMP_SYS(gettid),
	SCMP_SYS(getpid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(prctl),
	SCMP_SYS(getcpu),
	/* signals */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	/* time, and queries of sorting and allocation about the machine */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(getrandom),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	SCMP_SYS(getrusage),
	/* for our recorder, when it has ended */
	SCMP_SYS(wait4),
};

/* Calls for the cache, and for a growing trace. Landlock limits the paths. */
static const int for_files[] = {
	SCMP_SYS(open),	     SCMP_SYS(openat),	  SCMP_SYS(pwrite64),	SCMP_SYS(pwritev),
	SCMP_SYS(ftruncate), SCMP_SYS(fallocate), SCMP_SYS(fsync),	SCMP_SYS(fdatasync),
	SCMP_SYS(rename),    SCMP_SYS(renameat),  SCMP_SYS(renameat2),	SCMP_SYS(unlink),
	SCMP_SYS(unlinkat),  SCMP_SYS(mkdir),	  SCMP_SYS(mkdirat),	SCMP_SYS(fchmod),
	SCMP_SYS(stat),	     SCMP_SYS(lstat),	  SCMP_SYS(newfstatat), SCMP_SYS(statx),
	SCMP_SYS(access),    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(getdents64),
	SCMP_SYS(utimensat), SCMP_SYS(flock),	  SCMP_SYS(readlink),	SCMP_SYS(readlinkat),
	SCMP_SYS(fstatfs),   SCMP_SYS(statfs),	  SCMP_SYS(linkat),	SCMP_SYS(dup3),
};

static int allow_all(scmp_filter_ctx f, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r >= 0; i++)
		r = seccomp_rule_add(f, SCMP_ACT_ALLOW, calls[i], 0);
	return r;
}

/* F_SETOWN is missing, because it makes the kernel send signals to any process. */
static const int fcntls[] = {F_DUPFD,	  F_DUPFD_CLOEXEC, F_GETFD,	F_SETFD,  F_GETFL,
			     F_SETFL,	  F_GETLK,	   F_SETLK,	F_SETLKW, F_OFD_GETLK,
			     F_OFD_SETLK, F_OFD_SETLKW,	   F_GETPIPE_SZ};

/*
 * Allows calls that could affect other processes of the user, such as our recorder, only on this
 * process.
 */
static int allow_own(scmp_filter_ctx f)
{
	TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
			     SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())));
	TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0)));
	for (size_t i = 0; i < ARRAY_LEN(fcntls); i++)
		TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
				     SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)fcntls[i])));
	return 0;
}

static int add_rules(scmp_filter_ctx f, bool with_files)
{
	TRY(allow_all(f, always, ARRAY_LEN(always)));
	TRY(allow_own(f));
	if (with_files)
		TRY(allow_all(f, for_files, ARRAY_LEN(for_files)));
	TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
			     SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)));
	TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
			     SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)));
	TRY(seccomp_rule_add(f, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
			     SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)));
	return seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static int load_rules(scmp_filter_ctx f, bool with_files)
{
	TRY(f ? add_rules(f, with_files) : -ENOMEM);
	TRY(seccomp_attr_set(f, SCMP_FLTATR_CTL_TSYNC, 1));
	return seccomp_load(f);
}

int sandbox_calls(bool with_files, struct errmsg *err)
{
	scmp_filter_ctx f;
	int r;

	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0 && errno == EINVAL)
		return 0;
	f = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	r = load_rules(f, with_files);
	if (f)
		seccomp_release(f);
	return r < 0 ? errmsg_set_errno(err, r,
					"cannot restrict the program's system calls (--no-sandbox "
					"serves without that)")
		     : 1;
}
