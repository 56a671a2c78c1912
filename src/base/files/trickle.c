// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trickle.c - writes with a time limit.
 *
 * stdout shares its open file with the shell and other programs. O_NONBLOCK would affect them all,
 * so it is not set there. Instead:
 *
 *	pipe, terminal   opened again through /proc/self/fd, with O_NONBLOCK only for us
 *	socket           send(MSG_DONTWAIT)
 *	file             never waits
 *	otherwise        (no permission to open the terminal) poll(), then write a few bytes
 *
 * A pipe accepts up to PIPE_BUF bytes as a whole or not at all. If poll() reports room but there is
 * too little, we try again after a millisecond.
 */
#include "base/files/trickle.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FEW_BYTES 256 /* a terminal for which poll() reports room accepts this many bytes */
#define NAP_NS	  1000000

void trickle_init(struct trickle *t, int fd)
{
	struct stat st;
	char path[40];
	int again;

	*t = (struct trickle){.fd = fd};
	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode))
		return;
	t->is_socket = S_ISSOCK(st.st_mode);
	if (t->is_socket)
		return;
	if (S_ISFIFO(st.st_mode))
		t->max_bytes = PIPE_BUF;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (again >= 0) {
		t->fd = again;
		t->is_ours = true;
	} else if (!t->max_bytes) {
		t->max_bytes = FEW_BYTES;
	}
}

void trickle_release(struct trickle *t)
{
	if (t->is_ours)
		close(t->fd);
	*t = (struct trickle){.fd = -1};
}

size_t trickle_whole_bytes(const struct trickle *t)
{
	return t->max_bytes == PIPE_BUF ? PIPE_BUF : 0;
}

/* Returns false if the time has passed. */
static bool wait_for_room(const struct trickle *t, uint64_t until_ns)
{
	struct pollfd p = {t->fd, POLLOUT, 0};
	uint64_t now = clock_now_ns();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	struct timespec ts = {left / 1000000000, left % 1000000000};

	return ppoll(&p, 1, &ts, NULL) > 0;
}

static ssize_t write_some(const struct trickle *t, const char *s, size_t len)
{
	if (t->max_bytes && len > t->max_bytes)
		len = t->max_bytes;
	return t->is_socket ? send(t->fd, s, len, MSG_DONTWAIT | MSG_NOSIGNAL)
			    : write(t->fd, s, len);
}

ssize_t trickle_write(struct trickle *t, const char *s, size_t len, uint64_t until_ns)
{
	/* write() returns EAGAIN instead of waiting */
	bool tells = t->is_ours || t->is_socket;
	bool had_room = false;
	size_t done = 0;

	while (done < len) {
		ssize_t n;

		if (!tells && t->max_bytes && !wait_for_room(t, until_ns))
			break;
		n = write_some(t, s + done, len - done);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n >= 0) {
			done += n;
			had_room = false;
			continue;
		}
		if (had_room) /* poll() returned, but there was too little room */
			nanosleep(&(struct timespec){0, NAP_NS}, NULL);
		had_room = wait_for_room(t, until_ns);
		if (!had_room || clock_now_ns() >= until_ns)
			break;
	}
	return done;
}
