// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send.c - the other side of reception.c; agree.c shows the exchange.
 *
 * Data connections are opened when the ports are known, to the address that the control connection
 * reached, not to the name, which may have several.
 *
 * trace-cmd's listener has a process for each CPU and fails if one of them ends while it still
 * reads the metadata (its poll() is interrupted). So a short recording delays its end a little.
 */
#include "wire/send.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "wire/agree.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS	5000
#define TIMEOUT_DEFAULT 15
#define SEND_MS		60000 /* time limit for the listener to accept more of the metadata */
#define SETTLE_MS	1000  /* time for trace-cmd to read the metadata */

struct sender {
	struct sender_config config;
	struct channel ch;
	struct netaddr peer;
	struct agreement agreed;
	int *fds;
	int64_t head_ms; /* time when the metadata was sent */
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

/*
 * --- agreeing ----------------------------------------------------------------------------------
 */

static int reach(struct sender *s, int protocol, struct errmsg *err)
{
	enum transport transport = s->config.transport;
	enum transport control = transport == TRANSPORT_VSOCK ? TRANSPORT_VSOCK : TRANSPORT_TCP;
	int fd = netaddr_connect(control, s->config.host, s->config.port, CONNECT_MS, err);
	char name[NETADDR_TEXT_BYTES];
	int r;

	TRY(fd);
	channel_release(&s->ch);
	channel_init(&s->ch, fd, s->config.stop_fd > 0 ? s->config.stop_fd : -1);
	netaddr_set_keepalive(fd, s->config.timeout_s);
	if (netaddr_of_peer(fd, &s->peer) < 0)
		return channel_refuse(-ENOTCONN, "hear from the listener", err);
	netaddr_fmt(&s->peer, name);
	s->agreed = (struct agreement){.protocol = protocol,
				       .init = {.n_cpus = s->config.n_cpus,
						.page_size = s->config.page_size,
						.tcp = transport == TRANSPORT_TCP,
						.vsock = transport == TRANSPORT_VSOCK,
						.sonde = protocol == 3}};
	r = agree_as_recorder(&s->ch, s->config.key, name, &s->agreed, err);
	s->ch.timeout_ms = SEND_MS;
	return r;
}

static int agree(struct sender *s, struct errmsg *err)
{
	int r = reach(s, s->config.protocol == 1 ? 1 : 3, err);

	if (r != -EPROTONOSUPPORT || s->config.transport == TRANSPORT_VSOCK)
		return r;
	*err = (struct errmsg){0};
	return reach(s, 1, err);
}

/*
 * --- connections for data ----------------------------------------------------------------------
 */

static int connect_cpu(struct sender *s, uint32_t cpu, struct errmsg *err)
{
	uint8_t token[SHA256_BYTES];
	int fd = netaddr_connect_to(s->config.transport, &s->peer, s->agreed.ports.ports[cpu],
				    CONNECT_MS, err);

	TRY(fd);
	s->fds[cpu] = fd;
	if (s->config.transport != TRANSPORT_UDP)
		netaddr_set_send_limit(fd);
	if (!s->config.key)
		return 0;
	netkey_make_token(&s->agreed.key, cpu, token);
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
	if (!r && s->agreed.ports.n_cpus < config->n_cpus)
		r = errmsg_set(err, -EPROTO, "the listener takes %u CPUs, not %u",
			       s->agreed.ports.n_cpus, config->n_cpus);
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
	return s->agreed.protocol;
}

bool sender_peer_is_sonde(const struct sender *s)
{
	return s->agreed.ports.sonde;
}

/*
 * --- sending -----------------------------------------------------------------------------------
 */

int sender_head(struct sender *s, struct piece bytes, struct errmsg *err)
{
	int r = s->agreed.protocol == 3 ? channel_write_data(&s->ch, bytes, err)
					: channel_write(&s->ch, bytes.data, bytes.len);

	s->head_ms = clock_now_ms();
	netaddr_set_loss_limit(s->ch.fd, s->config.timeout_s);
	s->ch.stop_fd = -1; /* from now on the end is announced */
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

		/* a full UDP socket returns an error instead of waiting */
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
	if (!(p.revents & (POLLRDHUP | POLLHUP | POLLERR)) &&
	    recv(s->ch.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0)
		return 0;
	/* writes to an unreachable peer wait for two minutes; end them */
	for (uint32_t i = 0; i < s->config.n_cpus; i++)
		if (s->fds[i] >= 0)
			shutdown(s->fds[i], SHUT_RDWR);
	return errmsg_set(err, -ECONNRESET, "the listener %s:%s is gone", s->config.host,
			  s->config.port);
}

int sender_add_late(struct sender *s, struct piece bytes, struct errmsg *err)
{
	if (!s->agreed.ports.sonde || !bytes.len)
		return 0;
	return channel_write_data(&s->ch, bytes, err);
}

int sender_close(struct sender *s, struct errmsg *err)
{
	int64_t settle_ms = s->agreed.ports.sonde ? 0 : s->head_ms + SETTLE_MS - clock_now_ms();
	struct message_out out;
	int r = 0;

	if (settle_ms > 0 && settle_ms <= SETTLE_MS)
		usleep(settle_ms * 1000);
	/* send the data first, then announce the end */
	for (uint32_t i = 0; i < s->config.n_cpus; i++) {
		close(s->fds[i]);
		s->fds[i] = -1;
	}
	if (s->agreed.protocol == 3) {
		message_make(&out, MESSAGE_CLOSE);
		r = channel_write_message(&s->ch, &out, err);
	}
	sender_free(s);
	return r;
}
