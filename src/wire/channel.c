// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * channel.c - reads and writes with a time limit.
 *
 * The socket is non-blocking; before each read and write poll() waits for it, for the stop
 * descriptor, and for the time limit. The limit applies to the whole unit (a string, a message), so
 * a peer cannot cause a delay by sending a byte every few seconds.
 */
#include "wire/channel.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "format/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

void channel_init(struct channel *c, int fd, int stop_fd)
{
	c->fd = fd;
	c->stop_fd = stop_fd;
	c->timeout_ms = CHANNEL_TIMEOUT_MS;
	c->start = c->end = 0;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void channel_release(struct channel *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

static int64_t deadline_of(int timeout_ms)
{
	return timeout_ms < 0 ? INT64_MAX : clock_now_ms() + timeout_ms;
}

/* Returns 1, 0 or a negative number, as channel_wait() does. */
static int wait_for(struct channel *c, short events, int64_t deadline)
{
	for (;;) {
		struct pollfd fds[2] = {{c->fd, events, 0}, {c->stop_fd, POLLIN, 0}};
		int64_t left = deadline == INT64_MAX ? -1 : deadline - clock_now_ms();
		int n = poll(fds, 2, left < 0 && deadline != INT64_MAX ? 0 : (int)left);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[1].revents)
			return -ECANCELED;
		if (n > 0)
			return 1;
		if (!n)
			return 0;
	}
}

int channel_wait(struct channel *c, int timeout_ms)
{
	return c->start < c->end ? 1 : wait_for(c, POLLIN, deadline_of(timeout_ms));
}

/* Reads ahead until buf has at least one more byte. */
static int fill(struct channel *c, int64_t deadline)
{
	if (c->start) {
		memmove(c->buf, c->buf + c->start, c->end - c->start);
		c->end -= c->start;
		c->start = 0;
	}
	if (c->end == sizeof(c->buf))
		return -EMSGSIZE;
	for (;;) {
		ssize_t n = read(c->fd, c->buf + c->end, sizeof(c->buf) - c->end);
		int r;

		if (n > 0) {
			c->end += n;
			return 0;
		}
		if (!n)
			return -ENOTCONN;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = wait_for(c, POLLIN, deadline);
		if (r <= 0)
			return r ? r : -ETIMEDOUT;
	}
}

ssize_t channel_read_some(struct channel *c, void *data, size_t n)
{
	int r = c->start < c->end ? 0 : fill(c, deadline_of(c->timeout_ms));

	if (r < 0)
		return r == -ENOTCONN ? 0 : r;
	n = n < c->end - c->start ? n : c->end - c->start;
	memcpy(data, c->buf + c->start, n);
	c->start += n;
	return n;
}

int channel_read(struct channel *c, void *data, size_t n)
{
	int64_t deadline = deadline_of(c->timeout_ms);
	uint8_t *to = data;

	while (n) {
		size_t part = c->end - c->start;
		int r = part ? 0 : fill(c, deadline);

		TRY(r);
		part = c->end - c->start < n ? c->end - c->start : n;
		memcpy(to, c->buf + c->start, part);
		c->start += part;
		to += part;
		n -= part;
	}
	return 0;
}

int channel_read_string(struct channel *c, char *text, size_t n)
{
	int64_t deadline = deadline_of(c->timeout_ms);

	for (;;) {
		size_t have = c->end - c->start;
		const uint8_t *nul = memchr(c->buf + c->start, 0, have);

		if (nul) {
			size_t len = nul + 1 - (c->buf + c->start);

			if (len > n)
				return -EMSGSIZE;
			memcpy(text, c->buf + c->start, len);
			c->start += len;
			return 0;
		}
		if (have >= n)
			return -EMSGSIZE;
		TRY(fill(c, deadline));
	}
}

int channel_read_message(struct channel *c, struct message *ret_msg, int timeout_ms,
			 struct errmsg *err)
{
	int64_t deadline = deadline_of(timeout_ms);

	for (;;) {
		struct piece have = {c->buf + c->start, c->end - c->start};
		int n = message_parse(have, ret_msg, err);

		if (n > 0)
			c->start += n;
		if (n)
			return n < 0 ? n : 0;
		/* the first byte may take time, but the rest must follow soon */
		n = fill(c, deadline);
		if (n < 0)
			return channel_refuse(n, "wait for a message", err);
		if (timeout_ms < 0)
			deadline = deadline_of(c->timeout_ms);
	}
}

int channel_write(struct channel *c, const void *data, size_t n)
{
	int64_t deadline = deadline_of(c->timeout_ms);
	const uint8_t *from = data;

	while (n) {
		ssize_t part = send(c->fd, from, n, MSG_NOSIGNAL);
		int r;

		if (part >= 0) {
			from += part;
			n -= part;
			deadline = deadline_of(c->timeout_ms);
			continue;
		}
		if (errno == EPIPE)
			return -ENOTCONN; /* a reader gets the same error */
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = wait_for(c, POLLOUT, deadline);
		if (r <= 0)
			return r ? r : -ETIMEDOUT;
	}
	return 0;
}

int channel_write_message(struct channel *c, const struct message_out *out, struct errmsg *err)
{
	int r = out->overflow ? -EMSGSIZE : channel_write(c, out->bytes, out->len);

	return r < 0 ? channel_refuse(r, "send a message", err) : 0;
}

int channel_write_data(struct channel *c, struct piece data, struct errmsg *err)
{
	struct message_out out;
	int r = 0;

	for (size_t at = 0; at < data.len && !r; at += MESSAGE_DATA_BYTES) {
		size_t left = data.len - at;

		message_make_data(&out,
				  (struct piece){data.data + at, left < MESSAGE_DATA_BYTES
									 ? left
									 : MESSAGE_DATA_BYTES});
		r = channel_write_message(c, &out, err);
	}
	message_make(&out, MESSAGE_FIN_DATA);
	return r < 0 ? r : channel_write_message(c, &out, err);
}

int channel_refuse(int code, const char *doing, struct errmsg *err)
{
	if (code == -ENOTCONN)
		return errmsg_set(err, code, "cannot %s: the other side closed the connection",
				  doing);
	if (code == -ETIMEDOUT)
		return errmsg_set(err, code, "cannot %s: the other side does not answer", doing);
	if (code == -ECANCELED)
		return errmsg_set(err, code, "stopped");
	return errmsg_set_errno(err, code, "cannot %s", doing);
}
