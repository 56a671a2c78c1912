// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reception.c - serves one client, from its first byte to its file.
 *
 *	agree.h: the key, the version of the protocol, how many CPUs
 *	protocol 3:  we ─▶ RINIT    ─▶ SEND_DATA… FIN_DATA    pages    ─▶ CLOSE
 *	             a sonde client sends SEND_DATA… FIN_DATA again before CLOSE: late data
 *	protocol 1:  we ─▶ port,port,…\0
 *	             ─▶ metadata, to the end of the connection; pages arrive at the same time
 *
 * However the session ends, the received data is written to the file. The log reports the reason.
 */
#include "format/bytes.h"
#include "wire/reception_int.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "wire/agree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* time limit for the next message: the client reads all metadata of its kernel */
#define METADATA_MS 60000
#define TICK_MS	    1000
#define PATH_BYTES  4096
#define NAMES_MAX   1000

struct session {
	const struct receive_config *config;
	struct channel ch;
	struct netaddr peer, local;
	char peer_text[NETADDR_TEXT_BYTES];
	struct agreement agreed;
	enum transport transport;
	struct intake *intake;
	struct collector *collector;
	char path[PATH_BYTES];
};

static __attribute__((format(printf, 3, 4))) void
say(const struct session *s, enum receive_level level, const char *format, ...)
{
	char text[1400];
	size_t n = snprintf(text, sizeof(text), "%s: ", s->peer_text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + n, sizeof(text) - n, format, ap);
	va_end(ap);
	s->config->log(s->config->log_ctx, level, text);
}

/*
 * --- agreeing ------------------------------------------------------------------------------------
 */

static int choose_transport(struct session *s, struct errmsg *err)
{
	bool vsock = s->peer.addr.ss_family == AF_VSOCK;

	s->transport = vsock ? TRANSPORT_VSOCK : s->agreed.init.tcp ? TRANSPORT_TCP : TRANSPORT_UDP;
	if (s->agreed.init.vsock && !vsock)
		return errmsg_set(err, -EBADMSG, "it requests vsock over a network");
	if (s->transport == TRANSPORT_UDP && s->config->key)
		return errmsg_set(err, -EACCES, "with a key, data must use TCP: record with -t");
	return 0;
}

/*
 * --- its file ----------------------------------------------------------------------------------
 */

/* Chooses an unused name, made of our own directory and name and a numeric address. */
static int choose_path(struct session *s, struct errmsg *err)
{
	char name[NETADDR_TEXT_BYTES];
	struct stat st;

	netaddr_fmt_name(&s->peer, name);
	for (int i = 1; i < NAMES_MAX; i++) {
		char again[16] = "";

		if (i > 1)
			snprintf(again, sizeof(again), "-%d", i);
		if (snprintf(s->path, sizeof(s->path), "%s/%s.%s%s.dat", s->config->dir,
			     s->config->name, name, again) >= (int)sizeof(s->path))
			return errmsg_set(err, -ENAMETOOLONG, "the name of the file is too long");
		if (lstat(s->path, &st) < 0)
			return 0;
	}
	return errmsg_set(err, -EEXIST, "%s exists already, and %d others", s->path, NAMES_MAX);
}

static int open_file(struct session *s, struct errmsg *err)
{
	TRY(choose_path(s, err));
	return collector_open(&s->collector,
			      &(struct collector_config){.path = s->path,
							 .n_cpus = s->agreed.init.n_cpus,
							 .page_size = s->agreed.init.page_size,
							 .max_bytes = s->config->max_bytes},
			      err);
}

static int send_ports(struct session *s, const struct message_ports *p, struct errmsg *err)
{
	struct message_out out;
	char text[MESSAGE_CPUS_MAX * 12];
	size_t n = 0;
	int r;

	if (s->agreed.protocol == 3) {
		message_make_rinit(&out, p);
		return channel_write_message(&s->ch, &out, err);
	}
	for (uint32_t i = 0; i < p->n_cpus; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%u", i ? "," : "", p->ports[i]);
	r = channel_write(&s->ch, text, n + 1);
	return r < 0 ? channel_refuse(r, "send the ports", err) : 0;
}

static int open_ports(struct session *s, struct errmsg *err)
{
	struct message_ports p = {.n_cpus = s->agreed.init.n_cpus, .sonde = s->agreed.init.sonde};
	struct intake_config config = {.transport = s->transport,
				       .n_cpus = s->agreed.init.n_cpus,
				       .local = s->local,
				       .peer = s->peer,
				       .timeout_s = s->config->timeout_s,
				       .key = s->config->key ? &s->agreed.key : NULL};

	TRY(intake_open(&s->intake, &config, p.ports, err));
	return send_ports(s, &p, err);
}

/*
 * --- what comes --------------------------------------------------------------------------------
 */

static int refuse_message(struct session *s, const struct message *msg, struct errmsg *err)
{
	struct message_out out;

	if (msg->cmd == MESSAGE_NOT_SUPP)
		return 0;
	message_make(&out, MESSAGE_NOT_SUPP);
	return channel_write_message(&s->ch, &out, err);
}

/* Returns 0 when the metadata is complete. */
static int receive_head(struct session *s, struct errmsg *err)
{
	for (;;) {
		struct message msg;

		TRY(channel_read_message(&s->ch, &msg, METADATA_MS, err));
		if (msg.cmd == MESSAGE_FIN_DATA)
			return 0;
		if (msg.cmd == MESSAGE_CLOSE)
			return errmsg_set(err, -ENODATA, "it disconnected before it sent anything");
		TRY(msg.cmd == MESSAGE_SEND_DATA ? collector_add_head(s->collector, msg.body, err)
						 : refuse_message(s, &msg, err));
	}
}

static int check_intake(struct session *s, struct errmsg *err)
{
	int r = intake_failure(s->intake);

	if (r == -EFBIG && s->config->max_bytes)
		return errmsg_set(err, r, "it sent more than --max-size allows");
	return r < 0 ? errmsg_set_errno(err, r, "cannot write %s", s->path) : 0;
}

/* Waits for the next message on the control connection, and flushes the file while it waits. */
static int wait_control(struct session *s, struct errmsg *err)
{
	for (;;) {
		int r = channel_wait(&s->ch, TICK_MS), failure = check_intake(s, err);

		TRY(failure);
		if (r)
			return r < 0 ? channel_refuse(r, "go on", err) : 0;
		TRY(collector_flush(s->collector, err));
	}
}

static int tell_loss(int code, struct errmsg *err)
{
	*err = (struct errmsg){0};
	return errmsg_set(err, code, "%s; the received data is kept",
			  code == -ETIMEDOUT ? "it is unreachable"
					     : "it disconnected without a goodbye");
}

/* Returns 0 when the client announced the end. */
static int receive_data_3(struct session *s, struct errmsg *err)
{
	for (;;) {
		struct message msg;
		int r = wait_control(s, err);

		r = r < 0 ? r : channel_read_message(&s->ch, &msg, s->ch.timeout_ms, err);
		if (r == -ENOTCONN || r == -ECONNRESET || r == -ETIMEDOUT || r == -EHOSTUNREACH)
			return tell_loss(r, err);
		TRY(r);
		if (msg.cmd == MESSAGE_CLOSE)
			return 0;
		if (msg.cmd == MESSAGE_SEND_DATA && s->agreed.init.sonde)
			TRY(collector_add_late(s->collector, msg.body, err));
		else if (msg.cmd != MESSAGE_FIN_DATA || !s->agreed.init.sonde)
			TRY(refuse_message(s, &msg, err));
	}
}

static int receive_data_1(struct session *s, struct errmsg *err)
{
	uint8_t bytes[4096];

	for (;;) {
		int r = wait_control(s, err);
		ssize_t n = r < 0 ? r : channel_read_some(&s->ch, bytes, sizeof(bytes));

		if (!n)
			return 0;
		if (n < 0)
			return r < 0 ? r : channel_refuse(n, "read the metadata", err);
		TRY(collector_add_head(s->collector, (struct piece){bytes, n}, err));
	}
}

static int receive(struct session *s, struct errmsg *err)
{
	if (s->agreed.protocol == 3) {
		TRY(receive_head(s, err));
		TRY(collector_start(s->collector, err));
	}
	TRY(intake_start(s->intake, s->collector, err));
	return s->agreed.protocol == 3 ? receive_data_3(s, err) : receive_data_1(s, err);
}

static void tell_result(const struct session *s, const struct collector_result *sum)
{
	uint64_t dropped = intake_dropped(s->intake), strangers = intake_strangers(s->intake);

	say(s, RECEIVE_INFO, "wrote %s: %llu KB of %u CPU%s", s->path,
	    (unsigned long long)(sum->n_bytes + 1023) / 1024, sum->n_cpus,
	    sum->n_cpus == 1 ? "" : "s");
	if (dropped)
		say(s, RECEIVE_ERROR,
		    "%llu datagrams came too fast and are lost; record with -t to avoid this",
		    (unsigned long long)dropped);
	if (sum->n_short)
		say(s, RECEIVE_DETAIL, "%llu datagrams were not whole pages",
		    (unsigned long long)sum->n_short);
	if (strangers)
		say(s, RECEIVE_ERROR, "refused %llu connections from other machines",
		    (unsigned long long)strangers);
}

/* Makes the file from the received data, regardless of how the session ended. */
static enum session_result finish(struct session *s, int ended, const struct errmsg *why)
{
	struct collector_result sum;
	struct errmsg err = {0};
	bool is_cut = ended < 0;
	int r;

	if (s->intake)
		intake_finish(s->intake, !ended);
	if (ended < 0)
		say(s, RECEIVE_ERROR, "%s", why->text);
	else if (check_intake(s, &err) < 0) {
		say(s, RECEIVE_ERROR, "%s", err.text);
		is_cut = true;
	}
	err = (struct errmsg){0};
	if (!s->collector)
		return SESSION_NONE;
	r = collector_finish(s->collector, &sum, &err);
	if (r == -ENODATA && !sum.n_bytes)
		return SESSION_NONE;
	if (r < 0) {
		say(s, RECEIVE_ERROR, "%s", err.text);
		return SESSION_NONE;
	}
	tell_result(s, &sum);
	return is_cut ? SESSION_CUT : SESSION_WHOLE;
}

static void raise_limit(void)
{
	struct rlimit l;

	/* each CPU needs three descriptors */
	if (!getrlimit(RLIMIT_NOFILE, &l)) {
		l.rlim_cur = l.rlim_max;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static int prepare(struct session *s, struct errmsg *err)
{
	static const char *const names[] = {"TCP", "UDP", "vsock"};

	TRY(agree_as_listener(&s->ch, s->config->key, &s->agreed, err));
	TRY(choose_transport(s, err));
	TRY(open_file(s, err));
	TRY(open_ports(s, err));
	say(s, RECEIVE_INFO, "records %u CPU%s, protocol %d, data over %s", s->agreed.init.n_cpus,
	    s->agreed.init.n_cpus == 1 ? "" : "s", s->agreed.protocol, names[s->transport]);
	return 0;
}

static int meet(struct session *s, struct errmsg *err)
{
	if (netaddr_of_peer(s->ch.fd, &s->peer) < 0 || netaddr_of_socket(s->ch.fd, &s->local) < 0)
		return errmsg_set(err, -ENOTCONN, "it has already disconnected");
	netaddr_fmt(&s->peer, s->peer_text);
	say(s, RECEIVE_DETAIL, "connected");
	TRY(prepare(s, err));
	return receive(s, err);
}

enum session_result session_run(const struct receive_config *config, int fd, int stop_fd)
{
	SCOPED(scope_free) struct session *s = calloc(1, sizeof(*s));
	enum session_result result;
	struct errmsg err = {0};

	if (!s) {
		close(fd);
		return SESSION_NONE;
	}
	s->config = config;
	channel_init(&s->ch, fd, stop_fd);
	netaddr_set_keepalive(fd, config->timeout_s);
	snprintf(s->peer_text, sizeof(s->peer_text), "client");
	raise_limit();
	result = finish(s, meet(s, &err), &err);
	intake_free(s->intake);
	channel_release(&s->ch);
	return result;
}
