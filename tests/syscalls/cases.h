/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cases.h - what the files of the test program `cases` share: memory, calls by name, the list. */
#ifndef SONDE_TESTS_SYSCALLS_CASES_H
#define SONDE_TESTS_SYSCALLS_CASES_H

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* The arguments of all cases: zeroed before each. */
extern char b[8192], c[4096], d[4096];

#define S(name, ...) syscall(SYS_##name, ##__VA_ARGS__)
#define CASE(name)   void case_##name(void)

int file(void);
void on_signal(int sig);

/* clang-format off */
#define CASES(X) \
	X(read) X(write) X(open) X(openat) X(openat2) X(creat) X(close) X(stat) \
	X(newfstatat) X(statx) X(statfs) X(access) X(lseek) X(mmap) X(brk) X(mlockall) \
	X(pkey) X(membarrier) X(readv) X(pread) X(sendfile) X(splice) X(rt_sigaction) X(rt_sigprocmask) \
	X(rt_sigtimedwait) X(sigaltstack) X(kill) X(signal) X(nanosleep) X(itimer) X(timer) X(timerfd) \
	X(clock) X(poll) X(select) X(epoll) X(eventfd) X(inotify) X(fanotify) X(dup) \
	X(fcntl) X(flock) X(fsync) X(truncate) X(getdents) X(paths) X(cwd) X(chmod) \
	X(mknod) X(utime) X(xattr) X(mount) X(quota) X(handle) X(socket) X(inet) \
	X(tcp) X(inet6) X(unixpath) X(netlink) X(socketpair) X(sendmsg) X(sendmmsg) X(sockopt) \
	X(process) X(creds) X(wait) X(fork) X(killed) X(execve) X(clone) X(prctl) \
	X(arch_prctl) X(capget) X(rlimit) X(rusage) X(sysinfo) X(sched) X(futex) X(shm) \
	X(sem) X(msg) X(mq) X(aio) X(uring) X(memfd) X(random) X(seccomp) \
	X(keys) X(bpf) X(perf) X(landlock) X(numa) X(modules) X(misc) X(tty) \
	X(ifreq) X(ioctl) X(exit)
/* clang-format on */

#define DECLARE(name) CASE(name);
CASES(DECLARE)
#undef DECLARE

#endif
