// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ask.c - the conversation with the recorder, without the C library.
 *
 *	snrt_connect     a socket to the recorder
 *	snrt_ask         a message, its answer, the descriptors that come along
 *	snrt_rings_take  the first answer: shared memory of the rings
 *
 * A preloaded program connects by name, each time: it may have closed all descriptors meanwhile. An
 * attached process has a socket that the recorder made for it, because it may live in another
 * network namespace, where the name means nothing. That socket belongs to the process that was
 * attached to; its children connect by name.
 */
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/time.h>
#include <sys/un.h>

#define ANSWER_SECONDS 20  /* the recorder plans meanwhile */
#define KEPT_FD_MIN    700 /* away from the numbers that programs use */

static void set_patience(long fd)
{
	struct timeval wait = {.tv_sec = ANSWER_SECONDS};

	arch_syscall(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, (long)&wait, sizeof(wait), 0);
}

static long connect_by_name(const char *name)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	long fd, n_bytes;
	size_t len = 0;

	while (name[len] && name[len] != SNRT_KEY_SIGN && len < sizeof(addr.sun_path) - 1) {
		addr.sun_path[1 + len] = name[len];
		len++;
	}
	if (!len || len >= sizeof(addr.sun_path) - 1)
		return -EINVAL;
	fd = arch_syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0)
		return fd;
	set_patience(fd);
	n_bytes = (long)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
	if (arch_syscall(SYS_connect, fd, (long)&addr, n_bytes, 0, 0, 0) < 0) {
		sys_close(fd);
		return -ECONNREFUSED;
	}
	return fd;
}

static bool is_kept_socket(void)
{
	struct stat st;

	return snrt_process.socket_ino && sys_stat(snrt_process.socket, &st) &&
	       st.st_ino == snrt_process.socket_ino &&
	       snrt_process.socket_pid == (uint32_t)arch_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

long snrt_connect(void)
{
	return is_kept_socket() ? snrt_process.socket : connect_by_name(snrt_process.name);
}

void snrt_disconnect(long fd)
{
	if (!snrt_process.socket_ino || fd != snrt_process.socket)
		sys_close(fd);
}

void snrt_keep_socket(int fd)
{
	struct stat st;

	set_patience(fd);
	if (!sys_stat(fd, &st))
		return;
	snrt_process.socket = fd;
	snrt_process.socket_ino = st.st_ino;
	snrt_process.socket_pid = (uint32_t)arch_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void take_fds(const struct msghdr *msg, struct snrt_reply *ret)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	const int *fds;
	size_t n;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	fds = (const int *)CMSG_DATA(c);
	for (size_t i = 0; i < n && i < 2; i++)
		ret->fds[i] = fds[i];
}

static void put_key(struct snrt_hello *hello)
{
	const char *p = snrt_process.name, *end = p + sizeof(snrt_process.name);
	size_t n = 0;

	while (p < end && *p && *p != SNRT_KEY_SIGN)
		p++;
	while (++p < end && *p && n < sizeof(hello->key))
		hello->key[n++] = *p;
}

bool snrt_ask(long fd, enum snrt_what_now what, struct snrt_reply *ret)
{
	struct snrt_hello hello = {.magic = SNRT_MAGIC,
				   .version = SNRT_VERSION,
				   .what = what,
				   .flavour = snrt_note().flavour,
				   .plan = snrt_process.plan,
				   .counter = arch_counter()};
	struct iovec iov = {&ret->answer, sizeof(ret->answer)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	long n;

	put_key(&hello);
	ret->fds[0] = ret->fds[1] = -1;
	if (arch_syscall(SYS_sendto, fd, (long)&hello, sizeof(hello), MSG_NOSIGNAL, 0, 0) !=
	    (long)sizeof(hello))
		return false;
	do
		n = arch_syscall(SYS_recvmsg, fd, (long)&msg, MSG_CMSG_CLOEXEC, 0, 0, 0);
	while (n == -EINTR);
	if (n > 0)
		take_fds(&msg, ret);
	return n == (long)sizeof(ret->answer) && ret->answer.magic == SNRT_MAGIC &&
	       ret->answer.version == SNRT_VERSION && !ret->answer.error &&
	       ret->answer.n_images <= IMAGES_MAX;
}

void snrt_reply_close(const struct snrt_reply *r)
{
	sys_close(r->fds[0]);
	sys_close(r->fds[1]);
}

bool snrt_rings_take(const struct snrt_reply *r)
{
	struct snrt_shared *shared;
	struct stat st;
	long kept;

	if (r->fds[1] < 0 || !sys_stat(r->fds[0], &st))
		return false;
	shared = sys_map(0, SNRT_SLOTS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, r->fds[0], 0);
	if (!shared)
		return false;
	if (shared->magic != SNRT_MAGIC) {
		sys_unmap(shared, SNRT_SLOTS_AT);
		return false;
	}
	kept = arch_syscall(SYS_fcntl, r->fds[0], F_DUPFD_CLOEXEC, KEPT_FD_MIN, 0, 0, 0);
	if (kept < 0)
		kept = arch_syscall(SYS_fcntl, r->fds[0], F_DUPFD_CLOEXEC, 3, 0, 0, 0);
	snrt_process.rings_fd = (int)kept;
	snrt_process.rings_dev = st.st_dev;
	snrt_process.rings_ino = st.st_ino;
	snrt_thread_note_process();
	snrt_process.plan = r->answer.plan;
	snrt_process.shared = shared;
	return true;
}
