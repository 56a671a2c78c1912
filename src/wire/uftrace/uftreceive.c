// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * uftreceive.c - one loop for all senders: each has a buffer with the frame that is coming.
 *
 *	poll ─▶ accept, or read what is there ─▶ whole frames ─▶ files of the sender's directory
 *
 * A frame is kept in memory until it is complete (at most UFT_FRAME_MAX_BYTES). Files are opened
 * for each frame and closed again, so a sender may have any number of tasks.
 */
#include "wire/uftrace/uftreceive.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "store/uftrace/newdir.h"
#include "wire/uftrace/uftframe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SENDERS_MAX   64u
#define LISTENERS_MAX 8u
#define READ_BYTES    (256u << 10)

struct sender {
	int sock;
	int dir; /* its directory; -1: not named yet */
	char path[PATH_MAX];
	struct textbuf frame; /* what has come of it */
	uint64_t n_bytes;
	bool is_complete;
};

struct receiver {
	const struct uftreceive_config *c;
	struct sender *senders[SENDERS_MAX];
	size_t n;
};

/*
 * --- files -------------------------------------------------------------------------------------
 */

struct contents {
	const uint8_t *data;
	size_t n;
};

static int write_file(const struct sender *s, const char *name, int flags, struct contents part,
		      struct errmsg *err)
{
	SCOPED(scope_close)
	int fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);

	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot write %s/%s", s->path, name);
	while (part.n) {
		ssize_t n = write(fd, part.data, part.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errmsg_set_errno(err, -errno, "cannot write %s/%s", s->path, name);
		part.data += n;
		part.n -= (size_t)n;
	}
	return 0;
}

/* The directory has the last part of the name: a sender may have recorded elsewhere. */
static int take_dir(const struct receiver *r, struct sender *s, const uint8_t *data, size_t n,
		    struct errmsg *err)
{
	const char *name = (const char *)data, *slash;

	while (n && name[n - 1] == '/')
		n--;
	slash = memrchr(name, '/', n);
	if (slash) {
		n -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	if (s->dir >= 0 || !uft_frame_is_name(name, n))
		return errmsg_set(err, -EINVAL, "it names no directory");
	snprintf(s->path, sizeof(s->path), "%.3800s/%.*s", r->c->dir, (int)n, name);
	s->dir = uftdir_make(s->path, false, err);
	return s->dir < 0 ? s->dir : 0;
}

/* Bytes of a task or a CPU, appended. */
static int take_data(const struct sender *s, const char *form, const uint8_t *data, size_t n,
		     struct errmsg *err)
{
	uint32_t number;
	char name[64];

	if (n < sizeof(number))
		return errmsg_set(err, -EINVAL, "a frame is too short");
	memcpy(&number, data, sizeof(number));
	snprintf(name, sizeof(name), "%s%u.dat", form, ntohl(number));
	return write_file(s, name, O_APPEND,
			  (struct contents){data + sizeof(number), n - sizeof(number)}, err);
}

static int take_file(const struct sender *s, const uint8_t *data, size_t n, struct errmsg *err)
{
	uint32_t len;
	char name[256];

	if (n < sizeof(len))
		return errmsg_set(err, -EINVAL, "a frame is too short");
	memcpy(&len, data, sizeof(len));
	len = ntohl(len);
	if (len > n - sizeof(len) || !uft_frame_is_name((const char *)data + sizeof(len), len))
		return errmsg_set(err, -EINVAL, "it names no file");
	memcpy(name, data + sizeof(len), len);
	name[len] = 0;
	return write_file(s, name, O_TRUNC,
			  (struct contents){data + sizeof(len) + len, n - sizeof(len) - len}, err);
}

static int take_info(const struct sender *s, uint8_t *data, size_t n, struct errmsg *err)
{
	if (!uft_frame_turn_info(data, n))
		return errmsg_set(err, -EINVAL, "its info is not uftrace's");
	/* uftrace sends no options, but its readers want the file */
	TRY(write_file(s, "default.opts", O_APPEND, (struct contents){NULL, 0}, err));
	return write_file(s, "info", O_TRUNC, (struct contents){data, n}, err);
}

static int take_frame(const struct receiver *r, struct sender *s, uint16_t kind, uint8_t *data,
		      size_t n, struct errmsg *err)
{
	if (kind == UFT_FRAME_DIR)
		return take_dir(r, s, data, n, err);
	if (s->dir < 0)
		return errmsg_set(err, -EINVAL, "it does not begin with a directory");
	switch (kind) {
	case UFT_FRAME_DATA:
		return take_data(s, "", data, n, err);
	case UFT_FRAME_KERNEL:
		return take_data(s, "kernel-cpu", data, n, err);
	case UFT_FRAME_PERF:
		return take_data(s, "perf-cpu", data, n, err);
	case UFT_FRAME_INFO:
		return take_info(s, data, n, err);
	case UFT_FRAME_FILE:
		return take_file(s, data, n, err);
	case UFT_FRAME_END:
		s->is_complete = true;
		return 0;
	default:
		return errmsg_set(err, -EINVAL, "a frame has the unknown kind %u", kind);
	}
}

/*
 * --- senders -----------------------------------------------------------------------------------
 */

static void free_sender(struct sender *s)
{
	close(s->sock);
	if (s->dir >= 0)
		close(s->dir);
	textbuf_release(&s->frame);
	free(s);
}

/* Takes the frames that are complete. */
static int take_frames(const struct receiver *r, struct sender *s, struct errmsg *err)
{
	uint8_t *start = (uint8_t *)s->frame.start;
	size_t n = textbuf_len(&s->frame), at = 0;

	while (n - at >= UFT_FRAME_HEAD_BYTES && !s->is_complete) {
		struct uft_frame f;

		if (!uft_frame_parse(start + at, &f) || f.n_bytes > UFT_FRAME_MAX_BYTES)
			return errmsg_set(err, -EINVAL, "it does not speak uftrace's protocol");
		if (n - at - UFT_FRAME_HEAD_BYTES < f.n_bytes)
			break;
		at += UFT_FRAME_HEAD_BYTES;
		TRY(take_frame(r, s, f.kind, start + at, f.n_bytes, err));
		at += f.n_bytes;
	}
	if (at) {
		memmove(start, start + at, n - at);
		textbuf_commit(&s->frame, s->frame.start + (n - at));
	}
	return 0;
}

/* 1: more may come; 0: it has ended; negative with a message. */
static int read_sender(const struct receiver *r, struct sender *s, struct errmsg *err)
{
	char *room = textbuf_reserve(&s->frame, READ_BYTES);
	ssize_t n;

	if (s->frame.overflow)
		return errmsg_set_errno(err, -ENOMEM, "a frame is too large");
	n = recv(s->sock, room, READ_BYTES, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	if (n < 0)
		return errmsg_set_errno(err, -errno, "the connection broke");
	if (!n)
		return errmsg_set(err, -EPIPE, "the connection ended before the recording");
	textbuf_commit(&s->frame, room + n);
	s->n_bytes += (uint64_t)n;
	if (s->n_bytes > UFT_RECEIVE_MAX_BYTES)
		return errmsg_set(err, -EFBIG, "it sends too much");
	TRY(take_frames(r, s, err));
	return !s->is_complete;
}

static void accept_sender(struct receiver *r, int listener)
{
	int sock = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	struct sender *s = sock >= 0 && r->n < SENDERS_MAX ? calloc(1, sizeof(*s)) : NULL;

	if (!s) {
		if (sock >= 0)
			close(sock);
		return;
	}
	s->sock = sock;
	s->dir = -1;
	textbuf_init(&s->frame, UFT_FRAME_MAX_BYTES + UFT_FRAME_HEAD_BYTES + 2 * READ_BYTES);
	r->senders[r->n++] = s;
}

static void serve(struct receiver *r, size_t i)
{
	struct sender *s = r->senders[i];
	struct errmsg err = {0};
	char sentence[sizeof(s->path) + sizeof(err.text) + 64];
	int code = read_sender(r, s, &err);

	if (code > 0)
		return;
	if (code < 0) {
		snprintf(sentence, sizeof(sentence), "a sender was cut off: %s", err.text);
		r->c->fail(r->c->ctx, sentence);
	} else if (r->c->done) {
		r->c->done(r->c->ctx, s->path);
	}
	free_sender(s);
	r->senders[i] = r->senders[--r->n];
}

int uftreceive_run(const struct uftreceive_config *config, struct errmsg *err)
{
	struct pollfd polls[1 + LISTENERS_MAX + SENDERS_MAX];
	struct receiver r = {.c = config};
	size_t n_fds = config->n_fds < LISTENERS_MAX ? config->n_fds : LISTENERS_MAX;
	int code = 0;

	for (;;) {
		size_t n_senders = r.n;

		polls[0] = (struct pollfd){.fd = config->stop, .events = POLLIN};
		for (size_t i = 0; i < n_fds; i++)
			polls[1 + i] = (struct pollfd){.fd = config->fds[i], .events = POLLIN};
		for (size_t i = 0; i < n_senders; i++)
			polls[1 + n_fds + i] =
				(struct pollfd){.fd = r.senders[i]->sock, .events = POLLIN};
		if (poll(polls, 1 + n_fds + n_senders, -1) < 0 && errno != EINTR) {
			code = errmsg_set_errno(err, -errno, "cannot wait for senders");
			break;
		}
		if (polls[0].revents)
			break;
		/* backwards: the last one takes the place of one that has ended */
		for (size_t i = n_senders; i-- > 0;)
			if (polls[1 + n_fds + i].revents)
				serve(&r, i);
		for (size_t i = 0; i < n_fds; i++)
			if (polls[1 + i].revents)
				accept_sender(&r, config->fds[i]);
	}
	for (size_t i = 0; i < r.n; i++)
		free_sender(r.senders[i]);
	return code;
}
