// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * baddays.c - a program that makes life hard for whoever traces it, and then goes on.
 *
 *	baddays WHAT     closefrom, chroot, setuid, limit-memory, limit-files, limit-size, seccomp,
 *	                 filter, or wait (until standard input ends)
 *
 * It calls functions before and after that, also in a new thread where that is possible, and prints
 * "calls NAME NUMBER".
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BEFORE 100
#define AFTER  1000

static int total, n_works;

__attribute__((noinline)) int work(int n)
{
	n_works++;
	__asm__ volatile("" : "+r"(n));
	return n * 12345 + 1;
}

__attribute__((noinline)) void *later(void *arg)
{
	for (int i = 0; i < AFTER; i++)
		total += work(i);
	return arg;
}

static void limit(int what, rlim_t n)
{
	struct rlimit l = {n, n};

	setrlimit(what, &l);
}

/* Permits what the rest of this program needs, and nothing else. */
static void filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Without stdio, which makes system calls of its own choice. True: threads are possible. */
static int spoil(const char *what)
{
	char c;

	if (!strcmp(what, "closefrom"))
		syscall(SYS_close_range, 3u, ~0u, 0);
	else if (!strcmp(what, "chroot"))
		return chroot("/var/empty") && chroot("/run") ? 1 : 1;
	else if (!strcmp(what, "setuid"))
		return setgid(65534) || setuid(65534) ? 1 : 1;
	else if (!strcmp(what, "limit-memory"))
		limit(RLIMIT_AS, 1 << 20);
	else if (!strcmp(what, "limit-files"))
		limit(RLIMIT_NOFILE, 3);
	else if (!strcmp(what, "limit-size"))
		limit(RLIMIT_FSIZE, 0);
	else if (!strcmp(what, "seccomp"))
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (!strcmp(what, "filter"))
		filter();
	else if (!strcmp(what, "wait"))
		while (read(0, &c, 1) > 0)
			;
	return strcmp(what, "seccomp") && strcmp(what, "filter") && strcmp(what, "limit-memory");
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char text[100];
	int n;

	for (int i = 0; i < BEFORE; i++)
		total += work(i);
	if (!spoil(argc > 1 ? argv[1] : "") || pthread_create(&thread, NULL, later, NULL))
		later(NULL);
	else
		pthread_join(thread, NULL);
	n = snprintf(text, sizeof(text), "calls work %d\nresult %d\n", n_works, total);
	if (write(1, text, (size_t)n) != n)
		return 1;
	syscall(SYS_exit, 7);
	return 0;
}
