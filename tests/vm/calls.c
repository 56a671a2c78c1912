// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls.c - a small load whose every number is known: files, pipes, sockets, memory, signals, in the current
 * directory. For tests that compare what a probe read with what the program asked for.
 *
 *	calls load N       N rounds; prints "pid PID" and the nanoseconds (CLOCK_MONOTONIC) before and after
 *	calls irqfd N      a virtual machine without a CPU, whose interrupt line 5 is raised by an eventfd, N times;
 *	                   prints "pid PID" and what the kernel says is the largest number of CPUs
 *
 * The first needs nothing, the second /dev/kvm.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/kvm.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Touched before they are used: a kprobe cannot read a page that is not there yet. */
static char file_name[] = "fifty.txt", dir_name[] = "fifty.dir", new_name[] = "fifty.new";
static char buf[8192];

static void must(long result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void use_files(void)
{
	int fd = openat(AT_FDCWD, file_name, O_CREAT | O_RDWR | O_TRUNC, 0640);
	void *map;

	must(fd, file_name);
	must(write(fd, buf, 1234), "write");
	must(pread(fd, buf, 777, 100), "pread");
	must(lseek(fd, 555, SEEK_SET), "lseek");
	must(ftruncate(fd, 4321), "ftruncate");
	must(fchmod(fd, 0600), "fchmod");
	must(fcntl(fd, F_SETFL, O_APPEND), "fcntl");
	must(dup3(fd, 77, O_CLOEXEC), "dup3");
	map = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE, fd, 4096);
	must(map == MAP_FAILED ? -1 : 0, "mmap");
	must(munmap(map, 3 * 4096), "munmap");
	must(fsync(fd), "fsync");
	close(77);
	close(fd);
	must(mkdir(dir_name, 0750), "mkdir");
	must(rename(file_name, new_name), "rename");
	must(unlink(new_name), "unlink");
	must(rmdir(dir_name), "rmdir");
}

static void use_pipes_and_sockets(void)
{
	struct timespec nap = {0, 1234567};
	struct pollfd polled[3];
	int fds[2], pair[2];

	must(pipe2(fds, O_CLOEXEC | O_NONBLOCK), "pipe2");
	must(write(fds[1], buf, 33), "write to a pipe");
	must(read(fds[0], buf, 44), "read of a pipe");
	must(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
	must(sendto(pair[0], buf, 99, MSG_DONTWAIT, NULL, 0), "sendto");
	must(recv(pair[1], buf, 200, 0), "recv");
	for (int i = 0; i < 3; i++)
		polled[i] = (struct pollfd){pair[1], POLLIN, 0};
	must(poll(polled, 3, 0), "poll");
	must(nanosleep(&nap, NULL), "nanosleep");
	close(fds[0]);
	close(fds[1]);
	close(pair[0]);
	close(pair[1]);
}

static void use_the_process(void)
{
	struct rlimit limit = {55, 66};
	cpu_set_t cpus;
	struct stat st;

	must(kill(getpid(), SIGUSR1), "kill");
	must(setpriority(PRIO_PROCESS, 0, 7), "setpriority");
	must(setrlimit(RLIMIT_NOFILE, &(struct rlimit){111, 222}), "setrlimit");
	must(setrlimit(RLIMIT_SIGPENDING, &limit), "setrlimit");
	must(sched_getaffinity(0, sizeof(cpus), &cpus), "sched_getaffinity");
	must(sched_setaffinity(getpid(), sizeof(cpus), &cpus), "sched_setaffinity");
	must(stat("/", &st), "stat");
	umask(022);
}

static void load(int n)
{
	unsigned long long start;

	signal(SIGUSR1, SIG_IGN);
	((volatile char *)file_name)[0] = 'f';
	memset(buf, 'x', sizeof(buf));
	printf("pid %d\n", getpid());
	start = now_ns();
	for (int i = 0; i < n; i++) {
		use_files();
		use_pipes_and_sockets();
		use_the_process();
	}
	printf("from %llu to %llu\n", start, now_ns());
}

static void irqfd(int n)
{
	int kvm = open("/dev/kvm", O_RDWR), vm;
	struct kvm_irqfd wire = {.gsi = 5};

	must(kvm, "/dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	must(vm, "a machine");
	must(ioctl(vm, KVM_CREATE_IRQCHIP, 0), "an interrupt controller");
	wire.fd = eventfd(0, 0);
	must(ioctl(vm, KVM_IRQFD, &wire), "KVM_IRQFD");
	for (int i = 0; i < n; i++) {
		must(eventfd_write(wire.fd, 1), "the eventfd");
		usleep(20000); /* a worker of the kernel does it, once for what comes together */
	}
	printf("pid %d\nvcpus %d\n", getpid(), ioctl(kvm, KVM_CHECK_EXTENSION, KVM_CAP_MAX_VCPUS));
}

int main(int argc, char **argv)
{
	int n = argc == 3 ? atoi(argv[2]) : 0;

	if (n > 0 && !strcmp(argv[1], "load"))
		load(n);
	else if (n > 0 && !strcmp(argv[1], "irqfd"))
		irqfd(n);
	else
		return 2;
	return 0;
}
