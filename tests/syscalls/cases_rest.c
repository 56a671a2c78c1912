// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cases_rest.c - system calls about sockets, processes, IPC and devices.
 *
 * Each case makes a few calls of one family: with what the call is for, with flags and structures of
 * all kinds, and with arguments that fail. It closes what it opened, so that the next case gets the
 * same descriptors.
 */
#include "cases.h"

CASE(socket)
{
	S(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP);
	S(socket, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	S(socket, AF_NETLINK, SOCK_RAW, 0);
	S(socket, AF_INET6, SOCK_DGRAM, 17);
	S(socket, 99, 77, 55);
	S(socket, AF_PACKET, SOCK_RAW, 0x300);
	for (int i = 3; i < 8; i++)
		S(close, i);
}
CASE(inet)
{
	struct sockaddr_in a = {AF_INET, 0, {htonl(0x7f000001)}, {0}};
	unsigned n = 16;
	int s = S(socket, AF_INET, SOCK_STREAM, 0);
	S(bind, s, &a, 16);
	S(getsockname, s, &a, &n);
	S(getpeername, s, b, &n);
	S(listen, s, 5);
	a.sin_port = htons(1);
	S(connect, s, &a, 16);
	S(accept, s + 9, NULL, NULL);
	S(accept4, -1, b, &n, SOCK_CLOEXEC);
	S(shutdown, s, SHUT_RDWR);
	S(close, s);
}
CASE(tcp)
{
	struct sockaddr_in a = {AF_INET, 0, {htonl(0x7f000001)}, {0}};
	unsigned n = 16;
	int s = socket(AF_INET, SOCK_STREAM, 0), k, t;
	bind(s, (void *)&a, 16);
	listen(s, 1);
	getsockname(s, (void *)&a, &n);
	t = socket(AF_INET, SOCK_STREAM, 0);
	connect(t, (void *)&a, 16);
	n = 100;
	k = S(accept, s, b, &n);
	S(sendto, t, "message", 7, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
	S(recvfrom, k, b, 100, MSG_PEEK, NULL, NULL);
	S(recvfrom, k, b, 3, 0, b + 200, &n);
	n = 100;
	S(getpeername, k, b, &n);
	close(s);
	close(k);
	close(t);
}
CASE(inet6)
{
	struct sockaddr_in6 a = {AF_INET6, htons(80), htonl(5), IN6ADDR_LOOPBACK_INIT, 0};
	S(connect, -1, &a, sizeof(a));
	S(bind, -1, &a, 24);
	S(sendto, -1, "x", 1, 0, &a, 28);
}
CASE(unixpath)
{
	struct sockaddr_un a = {AF_UNIX, "sock"};
	unsigned n = 110;
	int s = S(socket, AF_UNIX, SOCK_STREAM, 0);
	S(bind, s, &a, 7);
	S(getsockname, s, b, &n);
	S(connect, s, &a, 110);
	memcpy(a.sun_path, "\0abc", 4);
	S(connect, s, &a, 6);
	S(connect, s, &a, 2);
	S(connect, s, &a, 1);
	S(connect, s, NULL, 5);
	S(close, s);
	S(unlink, "sock");
}
CASE(netlink)
{
	unsigned a[3] = {16, 5, 3};
	S(bind, -1, a, 12);
	a[2] = 0;
	S(connect, -1, a, 12);
	S(connect, -1, &(unsigned short[8]){29, 1, 2}, 16);
}
CASE(socketpair)
{
	int p[2];
	S(socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p);
	S(socketpair, AF_INET, SOCK_DGRAM, 0, p);
	S(close, p[0]);
	S(close, p[1]);
}
CASE(sendmsg)
{
	int p[2];
	char k[64] = {0};
	struct iovec v[2] = {{"hello", 5}, {" world", 6}}, r[2] = {{b, 8}, {c, 100}};
	struct cmsghdr *h = (void *)k;
	struct msghdr m = {NULL, 0, v, 2, k, CMSG_SPACE(4), 0};
	socketpair(AF_UNIX, SOCK_STREAM, 0, p);
	h->cmsg_len = CMSG_LEN(4);
	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	*(int *)CMSG_DATA(h) = 0;
	S(sendmsg, p[0], &m, 0);
	m = (struct msghdr){d, 100, r, 2, k, 64, 0};
	S(recvmsg, p[1], &m, MSG_CMSG_CLOEXEC);
	S(recvmsg, p[1], &m, MSG_DONTWAIT);
	m = (struct msghdr){NULL, 0, v, 1, NULL, 0, 0};
	S(sendmsg, p[0], &m, MSG_NOSIGNAL);
	S(sendmsg, -1, NULL, 0);
	for (int i = 3; i < 7; i++)
		S(close, i);
}
CASE(sendmmsg)
{
	int p[2];
	struct iovec v = {"hello", 5}, r = {b, 20};
	struct mmsghdr m[2] = {{{NULL, 0, &v, 1, NULL, 0, 0}, 0},
			       {{NULL, 0, &v, 1, NULL, 0, 0}, 0}};
	socketpair(AF_UNIX, SOCK_DGRAM, 0, p);
	S(sendmmsg, p[0], m, 2, 0);
	m[0].msg_hdr.msg_iov = m[1].msg_hdr.msg_iov = &r;
	S(recvmmsg, p[1], m, 2, MSG_DONTWAIT, NULL);
	S(recvmmsg, p[1], m, 2, MSG_DONTWAIT, NULL);
	S(close, 3);
	S(close, 4);
}
CASE(sockopt)
{
	unsigned n = 4;
	int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
	struct linger l = {1, 5};
	S(setsockopt, s, SOL_SOCKET, SO_REUSEADDR, &one, 4);
	S(getsockopt, s, SOL_SOCKET, SO_TYPE, b, &n);
	S(setsockopt, s, SOL_SOCKET, SO_LINGER, &l, 8);
	n = 8;
	S(getsockopt, s, SOL_SOCKET, SO_LINGER, b, &n);
	S(setsockopt, s, IPPROTO_TCP, TCP_NODELAY, &one, 4);
	S(setsockopt, s, IPPROTO_IPV6, 26, &one, 4);
	S(setsockopt, s, 12345, 6, "abc", 3);
	n = 4;
	S(getsockopt, s, SOL_SOCKET, SO_ERROR, b, &n);
	S(setsockopt, s, SOL_SOCKET, SO_BINDTODEVICE, "none", 5);
	S(setsockopt, s, 0, 35, &(int[2]){0x010000e0, 0}, 8);
	S(setsockopt, s, SOL_SOCKET, SO_KEEPALIVE, NULL, 0);
	S(getsockopt, -1, 6, 11, b, &n);
	n = 16;
	S(getsockopt, s, IPPROTO_TCP, TCP_CONGESTION, b, &n);
	S(close, s);
}
CASE(process)
{
	S(getpid);
	S(gettid);
	S(getuid);
	S(geteuid);
	S(getgid);
	S(getegid);
	S(setpgid, -1, -1);
	S(getpgid, -5);
	S(getsid, -5);
	S(sched_yield);
}
CASE(creds)
{
	S(setuid, 0);
	S(setgid, 0);
	S(setreuid, -1, -1);
	S(setregid, -1, 0);
	S(setresuid, -1, -1, 0);
	S(getresuid, b, b + 4, b + 8);
	S(setresgid, 0, 0, 0);
	S(getresgid, b, b + 4, b + 8);
	S(setfsuid, 0);
	S(setfsgid, 0);
	S(getgroups, 0, NULL);
	S(getgroups, 100, b);
	S(setgroups, 2, (void *)8);
}
CASE(wait)
{
	int st;
	S(wait4, -1, &st, WNOHANG, NULL);
	S(waitid, 0, 0, b, 4 | 1, NULL);
	S(wait4, -5, NULL, 0, b);
	S(waitid, 1, -1, NULL, 4, NULL);
}
CASE(fork)
{
	int st;
	pid_t k = fork();
	if (!k)
		_exit(7);
	S(wait4, k, &st, 0, b);
	k = vfork();
	if (!k)
		_exit(0);
	S(waitid, 1, k, b, 4, c);
}
CASE(killed)
{
	int st;
	pid_t k = fork();
	if (!k) {
		pause();
		_exit(0);
	}
	S(kill, k, SIGKILL);
	S(wait4, k, &st, 0, NULL);
}
CASE(execve)
{
	char *a[] = {"one", "two three", "four", NULL}, *e[] = {"A=1", "B=2", NULL};
	S(execve, "/none", a, e);
	S(execve, "/none", NULL, NULL);
	S(execveat, AT_FDCWD, "none", a, e + 1, AT_EMPTY_PATH);
	S(execve, NULL, a, e + 2);
}
CASE(clone)
{
	S(unshare, 0xff);
	S(setns, -1, 0x40000000);
	S(setns, -1, 0);
	S(clone3, NULL, 64);
	S(clone, 0x10000, 8, NULL, NULL, 0);
	S(kcmp, -1, -1, 1, 0, 0);
	S(kcmp, -1, -1, 0, 1, 2);
	S(pidfd_open, -1, 0);
	S(pidfd_getfd, -1, 5, 0);
	S(pidfd_send_signal, -1, 9, NULL, 0);
	S(process_madvise, -1, &(struct iovec){b, 4}, 1, 4, 0);
	S(process_mrelease, -1, 0);
	S(process_vm_readv, -1, &(struct iovec){b, 4}, 1, &(struct iovec){c, 4}, 1, 0);
	S(process_vm_writev, -1, &(struct iovec){"text", 4}, 1, &(struct iovec){c, 4}, 1, 0);
}
CASE(prctl)
{
	S(prctl, PR_SET_NAME, "a name that is long");
	S(prctl, PR_GET_NAME, b);
	S(prctl, PR_GET_DUMPABLE);
	S(prctl, PR_SET_PDEATHSIG, SIGHUP);
	S(prctl, PR_GET_PDEATHSIG, b);
	S(prctl, PR_SET_PDEATHSIG, 0);
	S(prctl, PR_CAPBSET_READ, 5);
	S(prctl, PR_GET_SECCOMP);
	S(prctl, PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
	S(prctl, PR_CAP_AMBIENT, 1, 5, 0, 0);
	S(prctl, 4321, 1, 2, 3, 4);
	S(prctl, PR_SET_CHILD_SUBREAPER, 0);
	S(prctl, PR_GET_TID_ADDRESS, b);
	S(prctl, 0x53564d41, 0, 0, 0, "x");
	S(prctl, PR_SET_TIMERSLACK, 0);
	S(prctl, PR_GET_SECUREBITS);
	S(prctl, PR_GET_THP_DISABLE, 0, 0, 0, 0);
}
CASE(arch_prctl)
{
	S(arch_prctl, 0x1003, b);
	S(arch_prctl, 0x1004, b);
	S(arch_prctl, 0x9999, 5);
}
CASE(capget)
{
	unsigned h[2] = {0x20080522, 0};
	S(capget, h, b);
	S(capget, h, NULL);
	h[0] = 1;
	S(capget, h, b);
	S(capset, NULL, NULL);
}
CASE(rlimit)
{
	struct rlimit64 {
		unsigned long a, z;
	} l = {4096, ~0ul};
	S(getrlimit, RLIMIT_NOFILE, b);
	S(prlimit64, 0, RLIMIT_STACK, NULL, b);
	S(setrlimit, 99, &l);
	S(prlimit64, -1, RLIMIT_CORE, &l, b);
	S(getrlimit, RLIMIT_AS, b);
}
CASE(rusage)
{
	S(getrusage, RUSAGE_SELF, b);
	S(getrusage, RUSAGE_CHILDREN, b);
	S(getrusage, 99, b);
	S(times, b);
	S(times, NULL);
}
CASE(sysinfo)
{
	S(uname, b);
	S(uname, NULL);
	S(sysinfo, b);
	S(getcpu, b, NULL, NULL);
}
CASE(sched)
{
	struct sched_param p = {5};
	S(sched_getscheduler, 0);
	S(sched_setscheduler, -1, SCHED_FIFO, &p);
	S(sched_getparam, 0, b);
	S(sched_setparam, -1, &p);
	S(sched_get_priority_max, SCHED_RR);
	S(sched_get_priority_min, 77);
	S(sched_rr_get_interval, 0, b);
	S(sched_getaffinity, 0, 128, b);
	S(sched_setaffinity, -1, 8, &(unsigned long){5});
	S(sched_getattr, 0, b, 48, 0);
	S(sched_setattr, -1, b, 0);
	S(getpriority, PRIO_PROCESS, 0);
	S(setpriority, PRIO_USER, -1, 5);
	S(ioprio_get, 1, 0);
	S(ioprio_set, 9, 0, 0x4004);
}
CASE(futex)
{
	struct timespec t = {0, 1000};
	unsigned *u = (void *)b;
	u[0] = 5;
	S(futex, u, 0 | 128, 4, NULL);
	S(futex, u, 0, 5, &t);
	S(futex, u, 1, 7);
	S(futex, u, 129, 0x7fffffff);
	S(futex, u, 9 | 128 | 256, 4, NULL, NULL, -1);
	S(futex, u, 4, 1, 2, u + 1, 7);
	S(futex, u, 5, 1, 2, u + 1, 0x14005002);
	S(futex, u, 7);
	S(futex, u, 8 | 128);
	S(futex, u, 77, 1, 2, 3, 4);
	S(futex, u, 10, 1, NULL, NULL, 255);
	S(get_robust_list, 0, b, c);
	S(set_robust_list, b, 5);
	S(set_tid_address, c);
	S(futex_waitv, NULL, 0, 0, NULL, 0);
}
CASE(shm)
{
	int i = S(shmget, 0, 4096, 0600 | 01000);
	void *p = (void *)S(shmat, i, NULL, 010000);
	S(shmctl, i, 2, b);
	S(shmdt, p);
	S(shmctl, i, 0, NULL);
	S(shmget, 0x12345, 100, 0);
	S(shmctl, -1, 1, b);
}
CASE(sem)
{
	int i = S(semget, 0, 2, 0600 | 01000);
	struct {
		unsigned short n;
		short o;
		short f;
	} o[2] = {{0, 1, 0}, {1, 2, 04000 | 010000}};
	S(semop, i, o, 2);
	S(semtimedop, i, o, 1, &(struct timespec){1, 2});
	S(semctl, i, 0, 12, 0);
	S(semctl, i, 0, 16, 5);
	S(semctl, i, 0, 2, b);
	S(semctl, i, 0, 0, 0);
	S(semget, 0x12345, 0, 0);
}
CASE(msg)
{
	int i = S(msgget, 0, 0600 | 01000);
	struct {
		long t;
		char x[20];
	} m = {3, "message text"};
	S(msgsnd, i, &m, 12, 04000);
	S(msgctl, i, 2, b);
	S(msgrcv, i, &m, 20, 0, 04000 | 010000);
	S(msgrcv, i, &m, 20, -5, 04000);
	S(msgctl, i, 0, NULL);
	S(msgsnd, -1, &m, 4, 0);
}
CASE(mq)
{
	struct {
		long f, m, s, c, r[4];
	} a = {0, 4, 100, 0, {0}};
	int q = S(mq_open, "sonde-test", O_RDWR | O_CREAT | O_EXCL, 0600, &a);
	S(mq_timedsend, q, "text", 4, 5, NULL);
	S(mq_getsetattr, q, NULL, b);
	S(mq_timedreceive, q, b, 100, c, NULL);
	S(mq_notify, q, NULL);
	S(mq_unlink, "sonde-test");
	S(mq_open, "none", O_RDONLY);
	S(close, q);
}
CASE(aio)
{
	long x[2] = {0};
	S(io_setup, 4, x);
	S(io_submit, x[0], 0, b);
	S(io_getevents, x[0], 0, 4, b, &(struct timespec){0, 0});
	S(io_destroy, x[0]);
	S(io_destroy, 5);
	S(io_cancel, 5, b, c);
}
CASE(uring)
{
	struct io_uring_params p = {0};
	int f = S(io_uring_setup, 4, &p);
	S(io_uring_enter, f, 0, 0, 0, NULL, 0);
	S(io_uring_setup, 0, &p);
	S(close, f);
}
CASE(memfd)
{
	int f = S(memfd_create, "a name", 3);
	S(fcntl, f, 1033, 6);
	S(fcntl, f, 1034);
	S(close, f);
	S(memfd_create, "x", 0xf0);
}
CASE(random)
{
	S(getrandom, b, 0, 1);
	S(getrandom, b, 4, 99);
}
CASE(seccomp)
{
	S(seccomp, 2, 0, &(unsigned){0x7fff0000});
	S(seccomp, 3, 0, b);
	S(seccomp, 77, 1, NULL);
	S(seccomp, 1, 1, NULL);
}
CASE(keys)
{
	S(add_key, "none", "d", "payload", 7, -3);
	S(request_key, "none", "d", NULL, -2);
	S(keyctl, 0, -3, 0);
	S(keyctl, 11, 5, NULL, 0);
}
CASE(bpf)
{
	union bpf_attr a;
	memset(&a, 0, sizeof(a));
	a.map_type = 77;
	a.key_size = 4;
	a.value_size = 8;
	a.max_entries = 16;
	S(bpf, 0, &a, 72);
	memset(&a, 0, sizeof(a));
	a.map_fd = -1;
	S(bpf, 1, &a, 32);
	S(bpf, 99, &a, 8);
}
CASE(perf)
{
	struct perf_event_attr a = {.type = 1,
				    .size = 128,
				    .config = 2,
				    .sample_period = 1000,
				    .sample_type = 7,
				    .disabled = 1,
				    .exclude_kernel = 1};
	int f = S(perf_event_open, &a, 0, -1, -1, 8);
	S(perf_event_open, &a, 0, 9999, -1, 0);
	S(perf_event_open, NULL, 0, 0, 0, 0);
	S(ioctl, f, 0x2400, 0);
	S(ioctl, f, 0x2403, 1);
	S(close, f);
}
CASE(landlock)
{
	S(landlock_create_ruleset, NULL, 0, 1);
	S(landlock_create_ruleset, &(long){5}, 8, 0);
	S(landlock_add_rule, -1, 1, &(struct {
		  long a;
		  int f;
	  }){1, 3},
	  0);
	S(landlock_restrict_self, -1, 0);
	S(close, 3);
}
CASE(numa)
{
	S(get_mempolicy, b, c, 1024, NULL, 0);
	S(set_mempolicy, 99, NULL, 0);
	S(mbind, b, 4096, 2, &(long){1L << 50}, 64, 1);
	S(migrate_pages, -1, 64, b, c);
	S(move_pages, 0, 1, &(void *){b}, NULL, c, 0);
}
CASE(modules)
{
	S(init_module, NULL, 0, "args");
	S(finit_module, -1, "a", 1);
	S(delete_module, "none-such", 0x800);
	S(kexec_load, NULL, 0, NULL, 0x3e0000);
	S(reboot, 1, 2, 3, 4);
	S(iopl, 99);
	S(ioperm, 1, 2, 0);
	S(sethostname, (void *)8, 70);
	S(setdomainname, (void *)8, 5);
}
CASE(misc)
{
	S(personality, 0xffffffff);
	S(syslog, 10, NULL, 0);
	syscall(999, 1, 2, 3, 4, 5, 6);
	S(sysfs, 3);
	S(ustat, 0x9999, b);
	S(close_range, 100, 200, 0);
	S(close_range, 100, 1, 4);
	S(rseq, b, 32, 9, 0x53053053);
	S(userfaultfd, 0x800000);
	S(remap_file_pages, b, 4096, 0, 0, 0);
	S(lookup_dcookie, 5, b, 6);
	S(settimeofday, (void *)8, NULL);
	S(memfd_secret, 99);
	S(quotactl_fd, -1, 0x80000700, 5, b);
}
CASE(tty)
{
	int m = open("/dev/ptmx", O_RDWR | O_NOCTTY), s;
	int n = 0;
	ioctl(m, TIOCSPTLCK, &n);
	s = S(ioctl, m, 0x5441, O_RDWR | O_NOCTTY);
	S(ioctl, s, TCGETS, b);
	S(ioctl, s, TCSETS, b);
	S(ioctl, s, TCSETSW, b);
	S(ioctl, s, TIOCGWINSZ, c);
	S(ioctl, s, TIOCSWINSZ, c);
	S(ioctl, s, FIONREAD, b);
	S(ioctl, s, TIOCGPGRP, b);
	S(ioctl, s, TIOCSPGRP, b);
	S(ioctl, s, TIOCNOTTY);
	S(ioctl, s, TCFLSH, 2);
	S(ioctl, s, TCXONC, 1);
	S(ioctl, s, TIOCMGET, b);
	S(ioctl, s, TIOCOUTQ, b);
	S(ioctl, s, TIOCEXCL);
	S(ioctl, s, TIOCGETD, b);
	S(ioctl, s, TIOCGSID, b);
	S(ioctl, 0, TCGETS, b);
	S(close, m);
	S(close, s);
}
CASE(ifreq)
{
	struct ifreq r = {.ifr_name = "lo"};
	struct ifconf k = {400, {c}};
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	S(ioctl, s, 0x8913, &r);
	S(ioctl, s, 0x8915, &r);
	S(ioctl, s, 0x8933, &r);
	S(ioctl, s, 0x8921, &r);
	S(ioctl, s, 0x8927, &r);
	S(ioctl, s, 0x891b, &r);
	S(ioctl, s, 0x8942, &r);
	S(ioctl, s, 0x891d, &r);
	S(ioctl, s, 0x8919, &r);
	memcpy(r.ifr_name, "none", 5);
	S(ioctl, s, 0x8914, &r);
	S(ioctl, s, 0x8933, &r);
	S(ioctl, s, 0x8912, &k);
	k.ifc_buf = NULL;
	S(ioctl, s, 0x8912, &k);
	S(close, s);
}
CASE(ioctl)
{
	int f = file();
	S(ioctl, f, 0x80086601, b);
	S(ioctl, f, FIONBIO, &(int){0});
	S(ioctl, f, FIOCLEX);
	S(ioctl, f, 0x801c581f, b);
	S(ioctl, f, 0x80081272, b);
	S(ioctl, f, 0x1268, b);
	S(ioctl, f, 0x125e, b);
	S(ioctl, f, 0x1261);
	S(ioctl, f, 0x125f);
	S(ioctl, f, 0x1277, (long[]){1, 2});
	S(ioctl, f, 0x40049409, 1);
	S(ioctl, f, 0x4c00, 3);
	S(ioctl, f, 0x4c01);
	S(ioctl, f, 0x4c82);
	S(ioctl, f, 0x80045201, b);
	S(ioctl, f, 0x80044501, b);
	S(ioctl, f, 0x80084502, b);
	S(ioctl, f, 0x800a4506, b);
	S(ioctl, f, 0x80084521, b);
	S(ioctl, f, 0x400454cb, 1);
	S(ioctl, f, 0xae00, 0);
	S(ioctl, f, 0xae01, 0);
	S(ioctl, f, 0xae41, 0);
	S(ioctl, f, 0xae80, 0);
	S(ioctl, f, 0x12345678, 5);
	S(ioctl, f, 0x40045678, 5);
	S(ioctl, f, 0xc0045678, 5);
	S(ioctl, f, 0x5678, 5);
	S(ioctl, f, 0x80045678, 0);
	S(close, f);
}
CASE(exit)
{
	S(exit_group, 3);
}
