// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send.c - session.c seen from the other side; the exchange is drawn there.
 *
 * A listener that does not understand "-1V3" takes it for a number of CPUs, finds it negative and hangs
 * up: then we connect once more and speak protocol 1. A key is never skipped: if we were given one and
 * the other end does not ask for it, we leave.
 *
 * Data connections are opened when the ports are known, to the very address that the control connection
 * reached, not to the name, which may have several.
 *
 * trace-cmd's listener has a process for each CPU and gives up when one of them ends while it still
 * reads the metadata (its poll() is interrupted). So a short recording waits a little with its end.
 */
#include "serve/send.h"

#include "base/errmsg.h"
#include "serve/channel.h"
#include "serve/netkey.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS	5000
#define TIMEOUT_DEFAULT 15
#define HELLO_BYTES	8
#define SETTLE_MS	1000	   /* for trace-cmd to read the metadata */
#define MAGIC_3		"766679\0" /* and the NUL of the string: 8 bytes */

struct sender {
	struct sender_config config;
	struct channel ch;
	struct netaddr peer;
	struct netkey_session key;
	int protocol;
	struct message_ports ports;
	int *fds;
	int64_t head_ms; /* when the metadata was sent */
};

void sender_free(struct sender *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->fds && i < s->config.n_cpus; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	channel_release(&s->ch);
	free(s->fds);
	free(s);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ll + ts.tv_nsec / 1000000;
}

/* --- agreeing ---------------------------------------------------------------------------------- */

static int refuse_hello(const struct sender *s, struct errmsg *err)
{
	return errmsg_set(err, -EPROTO, "%s:%s is no listener for traces", s->config.host,
			  s->config.port);
}

/* What it says first: who it is, and whether it wants a key. */
static int read_hello(struct sender *s, struct errmsg *err)
{
	char hello[HELLO_BYTES], version;
	int r = channel_read(&s->ch, hello, sizeof(hello));
	bool asks = !r && !memcmp(hello, NETKEY_HELLO, sizeof(hello));

	if (asks && !s->config.key)
		return errmsg_set(err, -EACCES, "%s:%s wants a key: give it with --key FILE",
				  s->config.host, s->config.port);
	if (asks) {
		r = channel_read(&s->ch, &version, 1);
		if (!r && version != NETKEY_HELLO[HELLO_BYTES])
			return refuse_hello(s, err);
		if (!r)
			r = netkey_answer(s->config.key, &s->ch, &s->key, err);
		if (!r)
			r = channel_read(&s->ch, hello, sizeof(hello));
	} else if (!r && s->config.key) {
		return errmsg_set(err, -EACCES,
				  "%s:%s does not ask for a key; leave out --key if you trust it",
				  s->config.host, s->config.port);
	}
	if (r < 0)
		return channel_refuse(r, "hear from the listener", err);
	return memcmp(hello, "tracecmd", sizeof(hello)) ? refuse_hello(s, err) : 0;
}

static int reach(struct sender *s, struct errmsg *err)
{
	enum transport control =
		s->config.transport == TRANSPORT_VSOCK ? TRANSPORT_VSOCK : TRANSPORT_TCP;
	int fd = netaddr_connect(control, s->config.host, s->config.port, CONNECT_MS, err);

	if (fd < 0)
		return fd;
	channel_release(&s->ch);
	channel_init(&s->ch, fd, -1);
	netaddr_set_keepalive(fd, s->config.timeout_s);
	if (netaddr_of_peer(fd, &s->peer) < 0)
		return channel_refuse(-ENOTCONN, "hear from the listener", err);
	return read_hello(s, err);
}

/* 1: it speaks protocol 3; 0: it does not know what that is. */
static int offer_3(struct sender *s)
{
	char answer[64], ok[2];
	int r = channel_write(&s->ch, "-1V3", 5);

	if (!r)
		r = channel_read_string(&s->ch, answer, sizeof(answer));
	if (r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE || r == -EMSGSIZE)
		return 0;
	if (r < 0 || strcmp(answer, "V3"))
		return r < 0 ? r : 0;
	r = channel_write(&s->ch, MAGIC_3, sizeof(MAGIC_3));
	if (!r)
		r = channel_read(&s->ch, ok, sizeof(ok));
	return r < 0 ? r : memcmp(ok, "OK", 2) ? -EPROTO : 1;
}

static int agree_3(struct sender *s, struct errmsg *err)
{
	struct message_tinit t = {.n_cpus = s->config.n_cpus,
				  .page_size = s->config.page_size,
				  .tcp = s->config.transport == TRANSPORT_TCP,
				  .vsock = s->config.transport == TRANSPORT_VSOCK,
				  .sonde = true};
	struct message_out out;
	struct message msg;
	int r;

	s->protocol = 3;
	message_make_tinit(&out, &t);
	r = channel_write_message(&s->ch, &out, err);
	if (!r)
		r = channel_read_message(&s->ch, &msg, s->ch.timeout_ms, err);
	return r < 0 ? r : message_take_rinit(&msg, &s->ports, err);
}

static int agree_1(struct sender *s, struct errmsg *err)
{
	char text[MESSAGE_CPUS_MAX * 12], *p = text;
	bool tcp = s->config.transport == TRANSPORT_TCP;
	int n = snprintf(text, sizeof(text), "%u%c%u%c%d%c%s", s->config.n_cpus, 0,
			 s->config.page_size, 0, tcp, 0, tcp ? "4" : "");
	int r;

	s->protocol = 1;
	if (tcp) {
		memcpy(text + n, "\0TCP", 5);
		n += 5;
	}
	r = channel_write(&s->ch, text, n);
	if (!r)
		r = channel_read_string(&s->ch, text, sizeof(text));
	if (r < 0)
		return channel_refuse(r, "agree with the listener", err);
	for (uint32_t i = 0; i < s->config.n_cpus; i++) {
		char *end;
		unsigned long port = strtoul(p, &end, 10);

		if (end == p || !port || port > 65535 ||
		    *end != (i + 1 < s->config.n_cpus ? ',' : 0))
			return refuse_hello(s, err);
		s->ports.ports[i] = port;
		p = end + 1;
	}
	s->ports.n_cpus = s->config.n_cpus;
	return 0;
}

static int agree(struct sender *s, struct errmsg *err)
{
	int r = reach(s, err);

	if (r < 0)
		return r;
	if (s->config.protocol == 1)
		return agree_1(s, err);
	r = offer_3(s);
	if (r < 0)
		return channel_refuse(r, "agree with the listener", err);
	if (r)
		return agree_3(s, err);
	if (s->config.transport == TRANSPORT_VSOCK)
		return errmsg_set(err, -EPROTONOSUPPORT, "that listener is too old for vsock");
	r = reach(s, err);
	return r < 0 ? r : agree_1(s, err);
}

/* --- connections for data ---------------------------------------------------------------------- */

static int connect_cpu(struct sender *s, uint32_t cpu, struct errmsg *err)
{
	uint8_t token[SHA256_BYTES];
	int fd = netaddr_connect_to(s->config.transport, &s->peer, s->ports.ports[cpu], CONNECT_MS,
				    err);

	if (fd < 0)
		return fd;
	s->fds[cpu] = fd;
	if (s->config.transport != TRANSPORT_UDP)
		netaddr_set_keepalive(fd, s->config.timeout_s);
	if (!s->config.key)
		return 0;
	netkey_make_token(&s->key, cpu, token);
	if (send(fd, token, sizeof(token), MSG_NOSIGNAL) == sizeof(token))
		return 0;
	return errmsg_set_errno(err, -errno, "cannot send to the listener");
}

int sender_open(struct sender **ret_sender, const struct sender_config *config, struct errmsg *err)
{
	struct sender *s;
	int r = 0;

	if (!config->n_cpus || config->n_cpus > MESSAGE_CPUS_MAX)
		return errmsg_set(err, -EINVAL, "traces of %u CPUs cannot be sent, only 1 to %u",
				  config->n_cpus, MESSAGE_CPUS_MAX);
	if (config->key && config->transport == TRANSPORT_UDP)
		return errmsg_set(err, -EINVAL, "with a key data goes over TCP: add -t");
	s = calloc(1, sizeof(*s));
	if (!s)
		return errmsg_set_errno(err, -ENOMEM, "cannot send");
	s->config = *config;
	s->config.timeout_s = config->timeout_s > 0 ? config->timeout_s : TIMEOUT_DEFAULT;
	s->ch.fd = -1;
	s->fds = malloc(config->n_cpus * sizeof(*s->fds));
	for (uint32_t i = 0; s->fds && i < config->n_cpus; i++)
		s->fds[i] = -1;
	r = s->fds ? agree(s, err) : errmsg_set_errno(err, -ENOMEM, "cannot send");
	if (!r && s->ports.n_cpus < config->n_cpus)
		r = errmsg_set(err, -EPROTO, "the listener takes %u CPUs, not %u", s->ports.n_cpus,
			       config->n_cpus);
	for (uint32_t i = 0; !r && i < config->n_cpus; i++)
		r = connect_cpu(s, i, err);
	if (r < 0) {
		sender_free(s);
		return r;
	}
	*ret_sender = s;
	return 0;
}

int sender_protocol(const struct sender *s)
{
	return s->protocol;
}

bool sender_peer_is_sonde(const struct sender *s)
{
	return s->ports.sonde;
}

/* --- sending ----------------------------------------------------------------------------------- */

int sender_head(struct sender *s, struct piece bytes, struct errmsg *err)
{
	int r = s->protocol == 3 ? channel_write_data(&s->ch, bytes, err)
				 : channel_write(&s->ch, bytes.data, bytes.len);

	s->head_ms = now_ms();
	return r < 0 ? channel_refuse(r, "send the metadata", err) : 0;
}

int sender_cpu_fd(const struct sender *s, uint32_t cpu)
{
	return s->fds[cpu];
}

int sender_write(struct sender *s, uint32_t cpu, struct piece pages)
{
	size_t step = s->config.transport == TRANSPORT_UDP ? s->config.page_size : pages.len;

	while (pages.len) {
		ssize_t n = send(s->fds[cpu], pages.data, step < pages.len ? step : pages.len,
				 MSG_NOSIGNAL);

		/* a full socket of UDP says so instead of waiting */
		if (n < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (n < 0)
			return -errno;
		pages.data += n;
		pages.len -= n;
	}
	return 0;
}

int sender_check(struct sender *s, struct errmsg *err)
{
	struct pollfd p = {s->ch.fd, POLLIN | POLLRDHUP, 0};
	char byte;

	if (poll(&p, 1, 0) <= 0)
		return 0;
	if (p.revents & (POLLRDHUP | POLLHUP | POLLERR) ||
	    recv(s->ch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		return errmsg_set(err, -EPIPE, "the listener %s:%s is gone", s->config.host,
				  s->config.port);
	return 0;
}

int sender_add_late(struct sender *s, struct piece bytes, struct errmsg *err)
{
	if (!s->ports.sonde || !bytes.len)
		return 0;
	return channel_write_data(&s->ch, bytes, err);
}

int sender_close(struct sender *s, struct errmsg *err)
{
	int64_t settle_ms = s->ports.sonde ? 0 : s->head_ms + SETTLE_MS - now_ms();
	struct message_out out;
	int r = 0;

	if (settle_ms > 0 && settle_ms <= SETTLE_MS)
		usleep(settle_ms * 1000);
	/* first the data, then the goodbye: it means that there is no more */
	for (uint32_t i = 0; i < s->config.n_cpus; i++) {
		close(s->fds[i]);
		s->fds[i] = -1;
	}
	if (s->protocol == 3) {
		message_make(&out, MESSAGE_CLOSE);
		r = channel_write_message(&s->ch, &out, err);
	}
	sender_free(s);
	return r;
}
