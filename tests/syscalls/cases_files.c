// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cases_files.c - system calls about files, memory, signals and time.
 *
 * Each case makes a few calls of one family: with what the call is for, with flags and structures of
 * all kinds, and with arguments that fail. It closes what it opened, so that the next case gets the
 * same descriptors.
 */
#include "cases.h"

CASE(read)
{
	int f = file();
	S(write, f, "hello\n\1\0012\377\"\\\t\033world", 20);
	S(lseek, f, 0, SEEK_SET);
	S(read, f, b, 100);
	S(read, f, b, 100);
	S(read, -1, b, 10);
	S(close, f);
}
CASE(write)
{
	int f = file();
	memset(b, 'x', 100);
	S(write, f, b, 100);
	S(write, f, b, 32);
	S(write, f, b, 33);
	S(write, f, "", 0);
	S(write, -1, "ab", 2);
	S(write, f, (void *)8, 4);
	S(write, f, 0, 0);
	S(close, f);
}
CASE(open)
{
	S(open, "none", O_RDONLY);
	S(open, "file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	S(open, "/", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	S(open, NULL, O_RDWR);
	S(open, (void *)16, 0x7fffffff, 07777);
	S(close, 3);
	S(close, 4);
}
CASE(openat)
{
	S(openat, AT_FDCWD, ".", O_RDWR | O_TMPFILE, 0600);
	S(openat, -5, "x", O_PATH);
	S(openat, AT_FDCWD, "very/long/path/that/has/more/than/thirty-two/characters/in/it",
	  O_RDONLY);
	S(close, 3);
}
CASE(openat2)
{
	struct open_how h = {.flags = O_CREAT | O_RDWR,
			     .mode = 0640,
			     .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	S(openat2, AT_FDCWD, "file", &h, sizeof(h));
	h.flags = 0;
	h.mode = 0;
	h.resolve = 0;
	S(openat2, AT_FDCWD, "none", &h, sizeof(h));
	S(openat2, AT_FDCWD, "file", 0, 24);
	S(close, 3);
}
CASE(creat)
{
	S(creat, "file", 0600);
	S(close, 3);
	S(creat, "none/x", 0);
}
CASE(close)
{
	S(close, 0x7fffffff);
	S(close, -1);
}
CASE(stat)
{
	S(stat, "/", b);
	S(stat, "none", b);
	S(stat, "/dev/null", b);
	S(lstat, "/proc/self", b);
	S(fstat, 0, b);
	S(fstat, -1, b);
}
CASE(newfstatat)
{
	S(newfstatat, AT_FDCWD, "/etc/passwd", b, 0);
	S(newfstatat, 0, "", b, AT_EMPTY_PATH);
	S(newfstatat, AT_FDCWD, "none", b, AT_SYMLINK_NOFOLLOW);
}
CASE(statx)
{
	S(statx, AT_FDCWD, "/etc", 0, STATX_BASIC_STATS, b);
	S(statx, AT_FDCWD, "none", AT_STATX_DONT_SYNC | AT_SYMLINK_NOFOLLOW, STATX_ALL, b);
}
CASE(statfs)
{
	S(statfs, "/proc", b);
	S(fstatfs, -1, b);
	S(statfs, "none", b);
}
CASE(access)
{
	S(access, "/etc", R_OK | X_OK);
	S(access, "none", F_OK);
	S(faccessat, AT_FDCWD, "/etc", W_OK);
	S(faccessat2, AT_FDCWD, "none", R_OK, AT_EACCESS);
}
CASE(lseek)
{
	int f = file();
	S(lseek, f, 100, SEEK_SET);
	S(lseek, f, -10, SEEK_END);
	S(lseek, f, 0, SEEK_DATA);
	S(lseek, f, 0, 77);
	S(close, f);
}
CASE(mmap)
{
	void *p = (void *)S(mmap, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
	S(mprotect, p, 4096, PROT_READ);
	S(madvise, p, 8192, MADV_DONTNEED);
	S(msync, p, 4096, MS_ASYNC);
	S(mlock, p, 4096);
	S(mlock2, p, 4096, 1);
	S(munlock, p, 4096);
	p = (void *)S(mremap, p, 8192, 16384, MREMAP_MAYMOVE);
	S(mincore, p, 16384, b);
	S(munmap, p, 16384);
	S(mmap, NULL, 4096, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_HUGETLB | 21 << 26, -1,
	  0x1000);
}
CASE(brk)
{
	S(brk, 0);
	S(brk, 0x1000);
}
CASE(mlockall)
{
	S(mlockall, MCL_CURRENT);
	S(munlockall);
	S(mlockall, 99);
}
CASE(pkey)
{
	S(pkey_alloc, 0, 1);
	S(pkey_free, 77);
	S(pkey_mprotect, b, 4096, PROT_READ | PROT_WRITE, -1);
}
CASE(membarrier)
{
	S(membarrier, 0, 0, 0);
	S(membarrier, 1, 0, 0);
	S(membarrier, 16, 0, 0);
}
CASE(readv)
{
	int f = file();
	struct iovec v[3] = {{"one", 3}, {"two two two two two two two two two", 35}, {NULL, 0}},
		     r[2] = {{b, 2}, {c, 100}};
	S(writev, f, v, 3);
	S(lseek, f, 0, 0);
	S(readv, f, r, 2);
	S(preadv, f, r, 2, 1L, 0L);
	S(pwritev, f, v, 1, 5L, 0L);
	S(preadv2, f, r, 1, 0L, 0L, 8);
	S(pwritev2, f, v, 1, 0L, 0L, 0);
	S(writev, -1, v, 2);
	S(readv, f, NULL, 5);
	S(close, f);
}
CASE(pread)
{
	int f = file();
	S(pwrite64, f, "abc", 3, 10);
	S(pread64, f, b, 5, 9);
	S(pread64, f, b, 5, 100000);
	S(close, f);
}
CASE(sendfile)
{
	int f = file(), p[2];
	long at = 1;
	S(write, f, "abcdef", 6);
	S(pipe2, p, O_CLOEXEC | O_NONBLOCK);
	S(sendfile, p[1], f, &at, 3);
	S(sendfile, p[1], f, NULL, 3);
	S(close, f);
	S(close, p[0]);
	S(close, p[1]);
}
CASE(splice)
{
	int f = file(), p[2];
	long at = 1;
	S(write, f, "abcdef", 6);
	S(pipe, p);
	S(splice, f, &at, p[1], NULL, 3, 3);
	S(tee, p[0], p[1], 1, 2);
	S(vmsplice, p[1], &(struct iovec){"xy", 2}, 1, 8);
	S(copy_file_range, f, &at, f, NULL, 1, 0);
	S(close, f);
	S(close, p[0]);
	S(close, p[1]);
}
CASE(rt_sigaction)
{
	struct {
		void *h;
		unsigned long f;
		void *r;
		unsigned long m;
	} a = {on_signal, SA_RESTART | SA_NODEFER | 0x04000000, (void *)0x1234,
	       1ul << 1 | 1ul << 14};
	S(rt_sigaction, SIGUSR1, &a, b, 8);
	a.h = SIG_IGN;
	a.f = 0;
	a.m = ~0ul;
	S(rt_sigaction, SIGUSR1, &a, NULL, 8);
	S(rt_sigaction, SIGRTMIN, NULL, b, 8);
	S(rt_sigaction, SIGKILL, &a, NULL, 8);
	a.h = SIG_DFL;
	S(rt_sigaction, SIGUSR1, &a, NULL, 8);
}
CASE(rt_sigprocmask)
{
	unsigned long m = 1ul << 9 | 1ul << 33;
	S(rt_sigprocmask, SIG_BLOCK, &m, b, 8);
	S(rt_sigprocmask, SIG_SETMASK, NULL, b, 8);
	S(rt_sigprocmask, SIG_UNBLOCK, &m, NULL, 8);
	m = ~0ul;
	S(rt_sigprocmask, 7, &m, NULL, 8);
	S(rt_sigpending, b, 8);
}
CASE(rt_sigtimedwait)
{
	unsigned long m = 1;
	struct timespec t = {0, 1000};
	S(rt_sigtimedwait, &m, b, &t, 8);
}
CASE(sigaltstack)
{
	stack_t s = {c, SS_DISABLE, 4096};
	S(sigaltstack, NULL, b);
	S(sigaltstack, &s, NULL);
}
CASE(kill)
{
	S(kill, 0x7ffffff0, SIGTERM);
	S(tkill, -5, SIGUSR1);
	S(tgkill, -1, -1, 0);
	S(kill, 0x7ffffff0, 64);
	S(rt_sigqueueinfo, 0x7ffffff0, 10, b);
}
CASE(signal)
{
	signal(SIGUSR1, SIG_IGN);
	S(kill, getpid(), SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
}
CASE(nanosleep)
{
	struct timespec t = {0, 1000};
	S(nanosleep, &t, NULL);
	S(nanosleep, &t, b);
	S(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	t.tv_nsec = -1;
	S(nanosleep, &t, b);
}
CASE(itimer)
{
	struct itimerval v = {{0, 0}, {100, 5}};
	S(setitimer, ITIMER_REAL, &v, b);
	S(getitimer, ITIMER_VIRTUAL, b);
	S(alarm, 0);
	S(setitimer, 77, NULL, b);
}
CASE(timer)
{
	struct sigevent e = {.sigev_notify = SIGEV_NONE, .sigev_signo = SIGUSR2};
	struct itimerspec v = {{1, 2}, {3, 4}};
	S(timer_create, CLOCK_MONOTONIC, &e, b);
	int id = *(int *)b;
	S(timer_settime, id, 1, &v, c);
	S(timer_gettime, id, c);
	S(timer_getoverrun, id);
	S(timer_delete, id);
	S(timer_create, CLOCK_REALTIME, NULL, b);
	S(timer_delete, -1);
}
CASE(timerfd)
{
	struct itimerspec v = {{0, 0}, {3, 4}};
	int f = S(timerfd_create, CLOCK_BOOTTIME, O_CLOEXEC | O_NONBLOCK);
	S(timerfd_settime, f, 1, &v, b);
	S(timerfd_gettime, f, b);
	S(timerfd_gettime, -1, b);
	S(close, f);
}
CASE(clock)
{
	S(clock_gettime, CLOCK_MONOTONIC_RAW, b);
	S(clock_getres, CLOCK_TAI, b);
	S(clock_settime, CLOCK_MONOTONIC, b);
	S(clock_gettime, 99, b);
	S(gettimeofday, b, NULL);
	S(time, NULL);
	S(adjtimex, NULL);
}
CASE(poll)
{
	struct pollfd p[3] = {{0, POLLIN, 0}, {1, POLLOUT | POLLPRI, 0}, {-1, 0, 0}};
	struct timespec t = {0, 0};
	unsigned long m = 1;
	S(poll, p, 3, 0);
	S(poll, p + 2, 1, 0);
	S(poll, NULL, 0, 0);
	S(ppoll, p, 2, &t, &m, 8);
	S(ppoll, p, 1, NULL, NULL, 8);
	S(poll, (void *)8, 5, 0);
}
CASE(select)
{
	fd_set r, w;
	struct timeval t = {0, 0};
	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_SET(0, &r);
	FD_SET(1, &w);
	FD_SET(2, &w);
	S(select, 3, &r, &w, NULL, &t);
	S(select, 0, NULL, NULL, NULL, &t);
	FD_SET(1, &w);
	S(pselect6, 3, NULL, &w, NULL, &(struct timespec){0, 0}, NULL);
	S(select, 3, (void *)8, NULL, NULL, &t);
}
CASE(epoll)
{
	int e = S(epoll_create1, EPOLL_CLOEXEC), p[2];
	struct epoll_event v = {EPOLLIN | EPOLLET, {.u64 = 0x100000002}};
	S(pipe, p);
	S(epoll_ctl, e, EPOLL_CTL_ADD, p[0], &v);
	S(epoll_wait, e, b, 4, 0);
	S(write, p[1], "x", 1);
	S(epoll_wait, e, b, 4, 0);
	S(epoll_pwait, e, b, 4, 0, NULL, 8);
	v.events = EPOLLOUT | EPOLLONESHOT;
	S(epoll_ctl, e, EPOLL_CTL_MOD, p[0], &v);
	S(epoll_ctl, e, EPOLL_CTL_DEL, p[0], NULL);
	S(epoll_ctl, e, 9, 77, &v);
	S(epoll_create, 1);
	S(epoll_pwait2, e, b, 4, &(struct timespec){0, 0}, NULL, 8);
	S(close, e);
	S(close, e + 1);
	S(close, e + 2);
	S(close, e + 3);
}
CASE(eventfd)
{
	int f = S(eventfd2, 5, O_NONBLOCK | 1);
	S(read, f, b, 8);
	S(eventfd, 0);
	S(signalfd4, -1, &(unsigned long){1ul << 16}, 8, O_CLOEXEC);
	S(close, f);
	S(close, f + 1);
	S(close, f + 2);
}
CASE(inotify)
{
	int f = S(inotify_init1, O_CLOEXEC);
	S(inotify_add_watch, f, ".", 0x2 | 0x100);
	S(inotify_rm_watch, f, 1);
	S(inotify_rm_watch, -1, 5);
	S(inotify_init);
	S(close, f);
	S(close, f + 1);
}
CASE(fanotify)
{
	S(fanotify_init, 0xffff, 0);
	S(fanotify_mark, -1, 1, 2, AT_FDCWD, "x");
}
CASE(dup)
{
	S(dup, 0);
	S(dup2, 0, 7);
	S(dup3, 0, 8, O_CLOEXEC);
	S(dup, -1);
	S(dup2, 3, 3);
	S(close, 3);
	S(close, 7);
	S(close, 8);
}
CASE(fcntl)
{
	int f = file();
	struct flock l = {F_WRLCK, SEEK_SET, 1, 2, 0};
	S(fcntl, f, F_GETFD);
	S(fcntl, f, F_SETFD, FD_CLOEXEC);
	S(fcntl, f, F_GETFD);
	S(fcntl, f, F_GETFL);
	S(fcntl, f, F_SETFL, O_APPEND | O_NONBLOCK);
	S(fcntl, f, F_DUPFD, 10);
	S(fcntl, f, F_DUPFD_CLOEXEC, 11);
	S(fcntl, f, F_SETLK, &l);
	S(fcntl, f, F_GETLK, &l);
	S(fcntl, f, F_OFD_SETLK, &l);
	S(fcntl, f, F_GETOWN);
	S(fcntl, f, F_GETSIG);
	S(fcntl, f, F_SETSIG, SIGUSR1);
	S(fcntl, f, F_GETSIG);
	S(fcntl, f, F_GETPIPE_SZ);
	S(fcntl, f, 9999, 5);
	S(fcntl, f, F_GETLEASE);
	S(fcntl, f, F_NOTIFY, 3);
	S(fcntl, f, F_SETOWN, 1);
	S(close, f);
	S(close, 10);
	S(close, 11);
}
CASE(flock)
{
	int f = file();
	S(flock, f, LOCK_EX | LOCK_NB);
	S(flock, f, LOCK_UN);
	S(flock, -1, LOCK_SH);
	S(close, f);
}
CASE(fsync)
{
	int f = file();
	S(fsync, f);
	S(fdatasync, f);
	S(syncfs, f);
	S(sync_file_range, f, 0, 10, 3);
	S(fadvise64, f, 0, 0, 4);
	S(readahead, f, 0, 10);
	S(close, f);
}
CASE(truncate)
{
	file();
	S(truncate, "file", 100);
	S(ftruncate, 3, 50);
	S(fallocate, 3, 1, 0, 4096);
	S(truncate, "none", -1);
	S(close, 3);
}
CASE(getdents)
{
	int f = S(open, ".", O_RDONLY | O_DIRECTORY);
	S(getdents64, f, b, 4096);
	S(getdents64, f, b, 4096);
	S(lseek, f, 0, 0);
	S(getdents, f, b, 4096);
	S(getdents64, -1, b, 10);
	S(close, f);
}
CASE(paths)
{
	S(mkdir, "dir", 0755);
	S(mkdirat, AT_FDCWD, "dir/sub", 0700);
	S(rename, "dir/sub", "dir/two");
	S(renameat, AT_FDCWD, "dir/two", AT_FDCWD, "dir/three");
	S(renameat2, AT_FDCWD, "dir/three", AT_FDCWD, "dir/four", 1);
	S(symlink, "target", "link");
	S(symlinkat, "t2", AT_FDCWD, "link2");
	S(readlink, "link", b, 100);
	S(readlinkat, AT_FDCWD, "link2", b, 1);
	S(readlink, "dir", b, 100);
	S(link, "link", "hard");
	S(linkat, AT_FDCWD, "link", AT_FDCWD, "hard2", AT_SYMLINK_FOLLOW);
	S(unlink, "link");
	S(unlinkat, AT_FDCWD, "link2", 0);
	S(unlinkat, AT_FDCWD, "dir/four", AT_REMOVEDIR);
	S(rmdir, "dir");
	S(unlink, "hard");
	S(rmdir, "none");
}
CASE(cwd)
{
	S(getcwd, b, 4096);
	S(getcwd, b, 1);
	S(chdir, "/none");
	int f = S(open, ".", 0);
	S(fchdir, f);
	S(chroot, "/none");
	S(close, f);
}
CASE(chmod)
{
	file();
	S(chmod, "file", 0600);
	S(fchmod, 3, 04755);
	S(fchmodat, AT_FDCWD, "file", 0);
	S(chown, "none", 1, 2);
	S(fchown, 3, -1, -1);
	S(lchown, "none", 0, -1);
	S(fchownat, AT_FDCWD, "none", 5, 6, AT_SYMLINK_NOFOLLOW);
	S(umask, 022);
	S(umask, 0);
	S(umask, 022);
	S(close, 3);
}
CASE(mknod)
{
	S(mknod, "fifo", S_IFIFO | 0600, 0);
	S(mknodat, AT_FDCWD, "none/dev", S_IFCHR | 0600, 0x103);
	S(mknod, "none/dev", S_IFBLK | 01644, 0x801);
	S(unlink, "fifo");
}
CASE(utime)
{
	struct timespec t[2] = {{1, 2}, {0, UTIME_OMIT}};
	struct timeval v[2] = {{10, 20}, {30, 40}};
	file();
	S(utimensat, AT_FDCWD, "file", t, 0);
	S(utimensat, 3, NULL, NULL, 0);
	t[1].tv_nsec = UTIME_NOW;
	S(utimensat, AT_FDCWD, "none", t, AT_SYMLINK_NOFOLLOW);
	S(utimes, "file", v);
	S(futimesat, AT_FDCWD, "none", v);
	S(utime, "file", &(long[2]){5, 6});
	S(utime, "none", NULL);
	S(close, 3);
}
CASE(xattr)
{
	file();
	S(setxattr, "file", "user.one", "value", 5, 0);
	S(getxattr, "file", "user.one", b, 100);
	S(getxattr, "file", "user.two", b, 100);
	S(listxattr, "file", b, 100);
	S(listxattr, "file", NULL, 0);
	S(fsetxattr, 3, "user.b", "\0\1", 2, 1);
	S(fgetxattr, 3, "user.b", b, 10);
	S(flistxattr, 3, b, 1000);
	S(lgetxattr, "none", "x", b, 1);
	S(llistxattr, "none", b, 1);
	S(lsetxattr, "none", "n", "v", 1, 2);
	S(removexattr, "file", "user.one");
	S(fremovexattr, 3, "user.none");
	S(lremovexattr, "none", "x");
	S(close, 3);
}
CASE(mount)
{
	S(mount, "none", "/none", "tmpfs", 1 | 0x2, "size=1m");
	S(mount, "a", "/none", "x", 4096 | 16384, NULL);
	S(umount2, "/none", 2);
	S(pivot_root, "/none", "/none2");
	S(swapon, "/none", 0x8003);
	S(swapoff, "/none");
	S(acct, "/none");
	S(fsopen, "none", 1);
	S(fsmount, -1, 0, 1);
	S(fspick, -1, "x", 2);
	S(open_tree, AT_FDCWD, "/none", 1);
	S(move_mount, -1, "a", -1, "b", 4);
	S(mount_setattr, -1, "x", 0, b, 32);
	S(fsconfig, -1, 1, "key", "value", 0);
	S(fsconfig, -1, 6, NULL, NULL, 0);
}
CASE(quota)
{
	S(quotactl, 0x80000700, "/none", 5, b);
	S(quotactl, 0x80000101, "/none", 0, NULL);
	S(quotactl, 0x80000200, "/none", 2, "/path");
}
CASE(handle)
{
	unsigned *h = (void *)b;
	h[0] = 128;
	S(name_to_handle_at, AT_FDCWD, "/etc/passwd", b, c, 0);
	h[0] = 0;
	S(name_to_handle_at, AT_FDCWD, "/etc/passwd", b, c, 0);
	S(open_by_handle_at, -1, c, 0);
}
