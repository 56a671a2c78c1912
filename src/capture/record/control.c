// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * control.c - the socket of a recording, both ends.
 *
 *	name       @sonde-ctl-PID-RANDOM, an abstract socket (SOCK_SEQPACKET)
 *	request    one message: words, each ended by a NUL
 *	answer     messages until the end: the first byte is '+' (a text follows) or '-' (a
 *	           sentence)
 *
 * Abstract sockets have no permissions, and anybody may make one with such a name. So each side
 * asks the kernel who the other one is (SO_PEERCRED): the recorder answers its own user and root;
 * sonde ctl talks only to the process whose pid is in the name, and only if that is its own user's
 * or root's. Recordings are found in /proc/net/unix.
 *
 * One request at a time: they are short. A client that does not read its answer is dropped after
 * PATIENCE_MS.
 */
#include "capture/record/control.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/stoppipe.h"
#include "base/textbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define PREFIX	    "sonde-ctl-"
#define PATIENCE_MS 2000
#define ANSWER_MS   30000 /* the recorder may be planning a large program */
#define PIECE_BYTES 32768
#define PEERS_MAX   4096
#define ACCEPTED    '+'
#define REFUSED	    '-'
#define LISTENS	    0x10000 /* in the flags of /proc/net/unix */

struct control {
	struct control_config config;
	int fd, stop_fds[2];
	pthread_t thread;
	bool has_thread;
};

/* The request's words from its bytes, each ended by a NUL. Returns their number, or -EINVAL. */
static int control_parse(char *bytes, size_t n_bytes, char **words, size_t max)
{
	size_t n = 0;

	if (!n_bytes || bytes[n_bytes - 1])
		return -EINVAL;
	for (size_t at = 0; at < n_bytes; at += strlen(bytes + at) + 1) {
		if (n + 1 >= max)
			return -EINVAL;
		words[n++] = bytes + at;
	}
	words[n] = NULL;
	return (int)n;
}

static socklen_t fill_address(struct sockaddr_un *addr, const char *name)
{
	size_t len = strlen(name), max = sizeof(addr->sun_path) - 1;

	len = len < max ? len : max;
	*addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(addr->sun_path + 1, name, len);
	return offsetof(struct sockaddr_un, sun_path) + 1 + len;
}

static void set_patience(int fd, unsigned ms)
{
	struct timeval wait = {ms / 1000, ms % 1000 * 1000L};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
}

/*
 * --- the recorder ------------------------------------------------------------------------------
 */

static bool may_ask(int fd)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) &&
	       (who.uid == geteuid() || !who.uid);
}

static void send_answer(int fd, char kind, const char *text, size_t len)
{
	char piece[PIECE_BYTES];

	do {
		size_t n = len < sizeof(piece) - 1 ? len : sizeof(piece) - 1;

		piece[0] = kind;
		memcpy(piece + 1, text, n);
		if (send(fd, piece, n + 1, MSG_NOSIGNAL) < 0)
			return;
		text += n;
		len -= n;
	} while (len);
}

static void answer(struct control *c, int fd)
{
	SCOPED(scope_free) char *bytes = malloc(CONTROL_MAX_BYTES);
	char *words[CONTROL_WORDS_MAX];
	struct errmsg err = {0};
	ssize_t n_bytes;
	int n, r;
	TEXTBUF(out, CONTROL_ANSWER_MAX_BYTES);

	if (!bytes || !may_ask(fd))
		return;
	set_patience(fd, PATIENCE_MS);
	n_bytes = recv(fd, bytes, CONTROL_MAX_BYTES, 0);
	n = n_bytes <= 0 ? -EINVAL : control_parse(bytes, n_bytes, words, CONTROL_WORDS_MAX);
	if (n <= 0)
		return;
	r = c->config.handle(c->config.ctx, words, n, &out, &err);
	if (r < 0)
		send_answer(fd, REFUSED, err.text, strlen(err.text));
	else
		send_answer(fd, ACCEPTED, textbuf_text(&out), textbuf_len(&out));
}

static void *run(void *ctx)
{
	struct control *c = ctx;

	for (;;) {
		struct pollfd fds[] = {{c->stop_fds[0], POLLIN, 0}, {c->fd, POLLIN, 0}};
		int fd;

		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[0].revents)
			return NULL;
		fd = fds[1].revents ? accept4(c->fd, NULL, NULL, SOCK_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		answer(c, fd);
		close(fd);
	}
}

static int open_socket(struct control *c)
{
	struct sockaddr_un addr;
	uint32_t random;
	char name[64];
	socklen_t len;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -errno;
	snprintf(name, sizeof(name), PREFIX "%d-%08x", (int)getpid(), random);
	len = fill_address(&addr, name);
	c->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (pipe2(c->stop_fds, O_CLOEXEC) || c->fd < 0 ||
	    bind(c->fd, (struct sockaddr *)&addr, len) || listen(c->fd, 16))
		return -errno;
	return 0;
}

int control_open(struct control **ret, const struct control_config *config, struct errmsg *err)
{
	struct control *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return errmsg_set_errno(err, -ENOMEM, "cannot make a socket for sonde ctl");
	*c = (struct control){.config = *config, .fd = -1, .stop_fds = {-1, -1}};
	r = open_socket(c);
	if (r >= 0) {
		r = -pthread_create(&c->thread, NULL, run, c);
		c->has_thread = !r;
	}
	if (r < 0) {
		control_close(c);
		return errmsg_set_errno(err, r, "cannot make a socket for sonde ctl");
	}
	*ret = c;
	return 0;
}

void control_close(struct control *c)
{
	if (!c)
		return;
	if (c->has_thread) {
		stoppipe_stop(c->stop_fds);
		pthread_join(c->thread, NULL);
	}
	if (c->fd >= 0)
		close(c->fd);
	for (int i = 0; i < 2; i++)
		if (c->stop_fds[i] >= 0)
			close(c->stop_fds[i]);
	free(c);
}

/*
 * --- sonde ctl ---------------------------------------------------------------------------------
 */

/* "0000000000000000: 00000002 00000000 00010000 0005 01 1234 @sonde-ctl-77-0a0b0c0d" */
static bool take_line(const char *line, struct control_peer *ret)
{
	unsigned long flags;
	int pid, at = 0;

	if (sscanf(line, "%*s %*x %*x %lx %*x %*x %*u @%n" PREFIX "%d-", &flags, &at, &pid) != 2 ||
	    !at || !(flags & LISTENS) || pid <= 0)
		return false;
	ret->pid = pid;
	snprintf(ret->name, sizeof(ret->name), "%.*s", (int)strcspn(line + at, "\n"), line + at);
	return true;
}

/*
 * A connection to the recording, if it is what it says it is; -errno. how: SOCK_NONBLOCK does not
 * wait for a place in its queue, which somebody who plays a recording could keep full.
 */
static int connect_peer(const struct control_peer *peer, int how)
{
	struct sockaddr_un addr;
	socklen_t len = fill_address(&addr, peer->name), who_len = sizeof(struct ucred);
	SCOPED(scope_close) int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | how, 0);
	struct ucred who;
	int ours;

	if (fd < 0)
		return -errno;
	set_patience(fd, ANSWER_MS);
	if (connect(fd, (struct sockaddr *)&addr, len) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_len))
		return -errno;
	/* root's recording answers only root */
	if (who.pid != peer->pid || (who.uid != geteuid() && geteuid()))
		return -EACCES;
	ours = fd;
	fd = -1;
	return ours;
}

int control_list(struct control_peer **ret, struct errmsg *err)
{
	SCOPED(fclose_scoped) FILE *f = fopen("/proc/net/unix", "re");
	SCOPED(scope_free) struct control_peer *list = NULL;
	size_t n = 0, cap = 0;
	char line[512];

	if (!f)
		return errmsg_set_errno(err, -errno,
					"cannot look for recordings in /proc/net/unix");
	while (fgets(line, sizeof(line), f)) {
		struct control_peer peer;
		int fd;

		if (!take_line(line, &peer))
			continue;
		fd = connect_peer(&peer, SOCK_NONBLOCK);
		if (fd < 0)
			continue;
		close(fd);
		if (!ARRAY_ROOM(list, cap, n + 1, PEERS_MAX))
			return errmsg_set_errno(err, -ENOMEM, "cannot list the recordings");
		list[n++] = peer;
	}
	*ret = TAKE(list);
	return (int)n;
}

/* Adds the rest of the answer; its kind, or -errno. */
static int take_answer(int fd, struct textbuf *out)
{
	char piece[PIECE_BYTES];
	int kind = -ESRCH;
	ssize_t n;

	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0) {
		kind = (unsigned char)piece[0];
		textbuf_add(out, piece + 1, n - 1);
	}
	return n < 0 ? -errno : kind;
}

int control_ask(const struct control_peer *peer, char *const *words, size_t n, struct textbuf *out,
		struct errmsg *err)
{
	SCOPED(scope_close) int fd = connect_peer(peer, 0);
	TEXTBUF(request, CONTROL_MAX_BYTES);
	TEXTBUF(reply, CONTROL_ANSWER_MAX_BYTES);
	int r;

	for (size_t i = 0; i < n; i++)
		textbuf_add(&request, words[i], strlen(words[i]) + 1);
	if (request.overflow || n >= CONTROL_WORDS_MAX)
		return errmsg_set(err, -E2BIG, "too many words for one request; use several");
	if (fd < 0)
		return errmsg_set_errno(err, fd, "cannot reach the recording %d", (int)peer->pid);
	if (send(fd, request.start, textbuf_len(&request), MSG_NOSIGNAL) < 0)
		return errmsg_set_errno(err, -errno, "cannot reach the recording %d",
					(int)peer->pid);
	r = take_answer(fd, &reply);
	if (r < 0)
		return errmsg_set_errno(err, r, "the recording %d does not answer", (int)peer->pid);
	if (r == REFUSED)
		return errmsg_set(err, -EPERM, "%s", textbuf_text(&reply));
	textbuf_add(out, textbuf_text(&reply), textbuf_len(&reply));
	return 0;
}
