// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userserver.c - an abstract socket with a random name, and the thread behind it.
 *
 *	program                             server
 *	connect, snrt_hello  ────────────▶  who is it (SO_PEERCRED)? its plan (plans/plans.h)
 *	snrt_answer + descriptors ◀───────  rings, plan
 *
 * The name is in the environment of the traced command and its children (SONDE_RT). An abstract
 * socket has no permissions, and every user sees its name. So each program is checked: it must run
 * as the user that records, unless that is root, and know the key, which is behind the name: who
 * gets the rings can read and spoil the calls of all programs. The kernel says who it is; nothing
 * else in its message is trusted.
 *
 * Programs wait until they are answered, so one thread answers them sequentially. A connection may
 * stay open, for libraries that are loaded later. One that sends invalid data is closed. If there
 * are too many, the server closes one that has not sent anything yet, so that nobody can keep
 * programs out.
 */
#include "capture/calls/userserver.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/shortage.h"
#include "base/stoppipe.h"
#include "capture/calls/plans/plans.h"
#include "runtime/snrt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG		512
#define CONNECTIONS_MAX 512u /* below the usual limit of descriptors */
#define FIXED		3    /* descriptors that are no connections */
#define SIGN_TEXT	((const char[]){SNRT_KEY_SIGN, 0})

struct connections {
	struct pollfd *fds;		 /* [0]: stop, [1]: the socket, [2]: adopted ones */
	bool is_silent[CONNECTIONS_MAX]; /* it has not said the key yet */
	size_t n, cap;
};

int userserver_open(struct userserver *s, struct errmsg *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	uint64_t random[3];
	size_t n;
	socklen_t len;
	int r = 0;

	*s = (struct userserver){
		.fd = -1, .stop_fds = {-1, -1}, .rings_fd = -1, .adopt_fds = {-1, -1}};
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return errmsg_set_errno(err, -errno, "cannot make a name for a socket");
	snprintf(s->name, sizeof(s->name), "sonde-%016llx%c%016llx%016llx",
		 (unsigned long long)random[0], SNRT_KEY_SIGN, (unsigned long long)random[1],
		 (unsigned long long)random[2]);
	n = strcspn(s->name, SIGN_TEXT);
	memcpy(addr.sun_path + 1, s->name, n);
	len = offsetof(struct sockaddr_un, sun_path) + 1 + n;
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0 || pipe2(s->stop_fds, O_CLOEXEC) || pipe2(s->adopt_fds, O_CLOEXEC) ||
	    bind(s->fd, (struct sockaddr *)&addr, len) || listen(s->fd, BACKLOG))
		r = -errno;
	if (!r)
		return 0;
	userserver_close(s);
	return errmsg_set_errno(err, r, "cannot make a socket for traced programs");
}

/*
 * --- a program ---------------------------------------------------------------------------------
 */

/* The pid, or 0: it must not be traced by us. */
static pid_t find_peer(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) || who.pid <= 0)
		return 0;
	return who.uid == geteuid() || !geteuid() ? who.pid : 0;
}

static bool knows_key(const struct userserver *s, const struct snrt_hello *hello)
{
	const char *key = s->name + strcspn(s->name, SIGN_TEXT) + 1;
	unsigned wrong = 0;

	for (size_t i = 0; i < SNRT_KEY_BYTES; i++) /* all of it: time tells nothing */
		wrong |= (unsigned char)(key[i] ^ hello->key[i]);
	return !wrong;
}

static bool send_answer(int fd, const struct snrt_answer *answer, const int *fds, size_t n_fds)
{
	struct iovec iov = {(void *)answer, sizeof(*answer)};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	if (n_fds) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		*CMSG_FIRSTHDR(&msg) = (struct cmsghdr){.cmsg_len = CMSG_LEN(n_fds * sizeof(int)),
							.cmsg_level = SOL_SOCKET,
							.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), fds, n_fds * sizeof(int));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(*answer);
}

static bool answer_hello(struct userserver *s, int fd, pid_t pid, const struct snrt_hello *hello)
{
	struct snrt_answer answer = {.magic = SNRT_MAGIC, .version = SNRT_VERSION};
	bool is_new = hello->what == SNRT_HELLO, sent;
	struct userplans_answer plan = {.fd = -1};
	struct errmsg err = {0};
	int fds[2], n_fds = 0;

	answer.error =
		is_new ? userplans_make(s->plans, pid, hello->flavour == SNRT_ATTACHED, &plan, &err)
		       : userplans_extend(s->plans, pid, hello->plan, &plan, &err);
	if (answer.error < 0) {
		/* not the program's fault, and its calls are missing: the status must tell */
		if (answer.error == -ENOSPC || answer.error == -EIO || answer.error == -EDQUOT)
			shortage_note(EIO);
		s->n_refused++;
		return send_answer(fd, &answer, NULL, 0);
	}
	answer.error = 0;
	answer.plan = plan.plan;
	answer.n_images = plan.n_images;
	if (is_new) { /* what is loaded later may be closed, too */
		answer.n_ranges = plan.n_ranges;
		answer.ranges_at = plan.ranges_at;
		answer.heap = plan.heap;
	}
	if (is_new)
		fds[n_fds++] = s->rings_fd;
	if (is_new || plan.n_images)
		fds[n_fds++] = plan.fd;
	sent = send_answer(fd, &answer, fds, n_fds);
	close(plan.fd);
	return sent;
}

/* False: the connection ends. */
static bool take_message(struct userserver *s, int fd)
{
	struct snrt_hello hello;
	ssize_t n = recv(fd, &hello, sizeof(hello), MSG_DONTWAIT);
	pid_t pid = find_peer(fd);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	if (n != sizeof(hello) || hello.magic != SNRT_MAGIC || hello.version != SNRT_VERSION ||
	    (hello.what != SNRT_HELLO && hello.what != SNRT_OPENED) || !pid ||
	    !knows_key(s, &hello)) {
		s->n_refused++;
		return false;
	}
	return answer_hello(s, fd, pid, &hello);
}

/*
 * --- the thread --------------------------------------------------------------------------------
 */

static void drop(struct connections *c, size_t i)
{
	close(c->fds[i].fd);
	c->fds[i] = c->fds[--c->n];
	c->is_silent[i] = c->is_silent[c->n];
}

static void drop_silent(struct connections *c)
{
	for (size_t i = FIXED; i < c->n; i++)
		if (c->is_silent[i]) {
			drop(c, i);
			return;
		}
}

static void add(struct connections *c, int fd, bool is_silent)
{
	if (fd < 0)
		return;
	if (c->n >= CONNECTIONS_MAX)
		drop_silent(c);
	if (!ARRAY_ROOM(c->fds, c->cap, c->n + 1, CONNECTIONS_MAX)) {
		close(fd);
		return;
	}
	c->is_silent[c->n] = is_silent;
	c->fds[c->n++] = (struct pollfd){fd, POLLIN, 0};
}

static void accept_one(const struct userserver *s, struct connections *c)
{
	add(c, accept4(s->fd, NULL, NULL, SOCK_CLOEXEC), true);
}

static void adopt_one(const struct userserver *s, struct connections *c)
{
	int fd;

	if (read(s->adopt_fds[0], &fd, sizeof(fd)) == sizeof(fd))
		add(c, fd, false);
}

static void serve(struct userserver *s, struct connections *c)
{
	for (;;) {
		if (poll(c->fds, c->n, -1) < 0 && errno != EINTR)
			return;
		if (c->fds[0].revents)
			return;
		for (size_t i = c->n; i-- > FIXED;) {
			if (!c->fds[i].revents)
				continue;
			if (take_message(s, c->fds[i].fd))
				c->is_silent[i] = false;
			else
				drop(c, i);
		}
		if (c->fds[1].revents)
			accept_one(s, c);
		if (c->fds[2].revents)
			adopt_one(s, c);
	}
}

static void *run(void *ctx)
{
	struct userserver *s = ctx;
	struct connections c = {0};

	if (ARRAY_ROOM(c.fds, c.cap, FIXED, CONNECTIONS_MAX)) {
		c.fds[0] = (struct pollfd){s->stop_fds[0], POLLIN, 0};
		c.fds[1] = (struct pollfd){s->fd, POLLIN, 0};
		c.fds[2] = (struct pollfd){s->adopt_fds[0], POLLIN, 0};
		c.n = FIXED;
		serve(s, &c);
	}
	for (size_t i = FIXED; i < c.n; i++)
		close(c.fds[i].fd);
	free(c.fds);
	return NULL;
}

int userserver_start(struct userserver *s, int rings_fd, struct userplans *plans,
		     struct errmsg *err)
{
	int r;

	s->rings_fd = rings_fd;
	s->plans = plans;
	r = pthread_create(&s->thread, NULL, run, s);
	s->has_thread = !r;
	return r ? errmsg_set_errno(err, -r, "cannot start a thread") : 0;
}

int userserver_adopt(struct userserver *s, int fd)
{
	return write(s->adopt_fds[1], &fd, sizeof(fd)) == sizeof(fd) ? 0 : -errno;
}

void userserver_stop(struct userserver *s)
{
	if (!s->has_thread)
		return;
	stoppipe_stop(s->stop_fds);
	pthread_join(s->thread, NULL);
	s->has_thread = false;
	close(s->fd); /* programs that ask now are refused, and continue untraced */
	s->fd = -1;
}

void userserver_close(struct userserver *s)
{
	userserver_stop(s);
	if (s->fd >= 0)
		close(s->fd);
	for (int i = 0; i < 2; i++) {
		if (s->adopt_fds[i] >= 0)
			close(s->adopt_fds[i]);
		if (s->stop_fds[i] >= 0)
			close(s->stop_fds[i]);
		s->adopt_fds[i] = s->stop_fds[i] = -1;
	}
	s->fd = -1;
}
