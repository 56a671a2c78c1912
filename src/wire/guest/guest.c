// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guest.c - asks an agent to record, and receives its data.
 *
 *	we ─▶ [the key]  TRACE_REQ the arguments of record, our trace id, the supported time syncs
 *	     ─▶ TRACE_RESP its trace id, a port for each CPU, the time sync and its port
 *	we ─▶ connect to the port of the time sync: the first samples
 *	     ─▶ SEND_DATA… FIN_DATA the metadata of its kernel
 *	we ─▶ connect to the ports of the CPUs      ─▶ pages
 *	we ─▶ CLOSE      ─▶ the rest of the pages, ends of connections, CLOSE_RESP
 *
 * A sonde agent sends names of tasks and statistics, which it learned during the recording, before
 * CLOSE_RESP. If pipes were prepared (fifos.h) and the agent can use them, pages come through
 * these.
 *
 * The last samples of the time sync are taken before CLOSE, because the agent may end after it.
 */
#include "wire/guest/guest.h"

#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "store/guestopts.h"
#include "wire/guest/fifos.h"
#include "wire/metadata.h"
#include "wire/reception_int.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CONNECT_MS  15000
/*
 * Time limits for a connected agent. It sets up its tracing before it answers, which takes seconds,
 * and in an emulated guest on a busy host more than a minute. A lost connection is noticed earlier,
 * see TIMEOUT_S.
 */
#define ANSWER_MS   180000
#define METADATA_MS 180000
#define CLOSE_MS    120000
#define TIMEOUT_S   15
#define SHIFT_MAX   (16u << 20)

struct guest {
	struct guest_config config;
	struct channel ch;
	struct netaddr peer;
	struct netkey_session key;
	struct message_response answer;
	struct timesync *sync;
	struct collector *collector;
	struct intake *intake;
	bool is_started, is_gone;
	int fifos[MESSAGE_CPUS_MAX];
	uint32_t n_fifos;
};

static void guest_release(struct guest *g)
{
	timesync_free(g->sync);
	intake_free(g->intake);
	fifos_close(g->fifos, g->n_fifos);
	channel_release(&g->ch);
	free(g);
}

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

static int reach(struct guest *g, struct errmsg *err)
{
	uint8_t hello[NETKEY_HELLO_BYTES];
	int fd = netaddr_connect(g->config.transport, g->config.host, g->config.port, CONNECT_MS,
				 err),
	    r;

	TRY(fd);
	channel_init(&g->ch, fd, g->config.stop_fd);
	netaddr_set_keepalive(fd, TIMEOUT_S);
	netaddr_set_loss_limit(fd, TIMEOUT_S);
	if (netaddr_of_peer(fd, &g->peer) < 0)
		return channel_refuse(-ENOTCONN, "hear from the agent", err);
	if (!g->config.key)
		return 0;
	r = channel_read(&g->ch, hello, sizeof(hello));
	if (r == -ETIMEDOUT || (!r && memcmp(hello, NETKEY_HELLO, sizeof(hello))))
		return errmsg_set(err, -EACCES,
				  "the agent %s:%s does not ask for a key; omit --key if you "
				  "trust it",
				  g->config.host, g->config.port);
	if (r < 0)
		return channel_refuse(r, "hear from the agent", err);
	return netkey_answer(g->config.key, &g->ch, &g->key, err);
}

static int send_request(struct guest *g, struct errmsg *err)
{
	SCOPED(scope_free) struct message_request *q = calloc(1, sizeof(*q));
	struct message_out out;

	if (!q)
		return errmsg_set_errno(err, -ENOMEM, "cannot ask the agent");
	q->trace_id = g->config.trace_id;
	q->fifos = g->n_fifos > 0;
	q->sonde = true;
	for (uint32_t i = 0; i < g->config.n_args && i < MESSAGE_ARGS_MAX; i++)
		q->args[q->n_args++] = g->config.args[i];
	if (g->config.clock && g->config.interval_ms >= 0)
		q->n_protos = timesync_offer(g->config.clock_name, g->config.pid, q->protos);
	message_make_request(&out, q);
	if (out.overflow)
		return errmsg_set(err, -E2BIG, "there are too many arguments for the agent of %s",
				  g->config.host);
	return channel_write_message(&g->ch, &out, err);
}

static int ask(struct guest *g, struct errmsg *err)
{
	struct message msg;
	int r = send_request(g, err);

	r = r < 0 ? r : channel_read_message(&g->ch, &msg, ANSWER_MS, err);
	if (r == -EBADMSG && !g->config.key && g->ch.end >= NETKEY_HELLO_BYTES &&
	    !memcmp(g->ch.buf, NETKEY_HELLO, NETKEY_HELLO_BYTES)) {
		*err = (struct errmsg){0};
		return errmsg_set(err, -EACCES,
				  "the agent %s:%s requires a key: give it with --key FILE",
				  g->config.host, g->config.port);
	}
	if (r == -ENOTCONN || r == -ECONNRESET) {
		*err = (struct errmsg){0};
		return errmsg_set(err, r,
				  "the agent %s:%s refuses: it is busy, or cannot record this",
				  g->config.host, g->config.port);
	}
	TRY(r);
	if (msg.cmd == MESSAGE_NOT_SUPP) {
		char why[512];

		message_take_refusal(&msg, why, sizeof(why));
		return errmsg_set(err, -EPERM, "the agent %s:%s refuses: %s", g->config.host,
				  g->config.port, why);
	}
	return message_take_response(&msg, &g->answer, err);
}

/*
 * Drops the pipes if their number differs from that of the CPUs: they were prepared for another
 * machine.
 */
static int settle_fifos(struct guest *g, struct errmsg *err)
{
	if (!g->answer.fifos) {
		fifos_close(g->fifos, g->n_fifos);
		g->n_fifos = 0;
	}
	if (!g->answer.fifos || g->n_fifos == g->answer.ports.n_cpus)
		return 0;
	return errmsg_set(err, -EINVAL,
			  "there are pipes for %u CPUs of '%s', which has %u: add --nofifos, or "
			  "run setup-guest again",
			  g->n_fifos, g->config.fifos ? g->config.fifos : g->config.host,
			  g->answer.ports.n_cpus);
}

/* Sends the token, which proves that this connection belongs to us. */
static int send_token(const struct guest *g, int fd, uint32_t cpu)
{
	uint8_t token[SHA256_BYTES];

	if (!g->config.key)
		return 0;
	netkey_make_token(&g->key, cpu, token);
	return send(fd, token, sizeof(token), MSG_NOSIGNAL) == sizeof(token) ? 0 : -ECONNRESET;
}

static int synchronise(struct guest *g, struct errmsg *err)
{
	struct timesync_config config = {.proto = g->answer.proto,
					 .clock = g->config.clock,
					 .n_cpus = g->answer.ports.n_cpus,
					 .interval_ms = g->config.interval_ms,
					 .stop_fd = g->config.stop_fd,
					 .guest_pid = g->config.pid};

	if (!*g->answer.proto || !g->answer.sync_port)
		return 0;
	config.fd = netaddr_connect_to(g->config.transport, &g->peer, g->answer.sync_port,
				       CONNECT_MS, err);
	if (config.fd < 0)
		return config.fd;
	if (send_token(g, config.fd, NETKEY_SYNC_CPU) < 0) {
		close(config.fd);
		return errmsg_set_errno(err, -ECONNRESET, "no time sync");
	}
	netaddr_set_keepalive(config.fd, TIMEOUT_S);
	netaddr_set_loss_limit(config.fd, TIMEOUT_S);
	return timesync_open(&g->sync, &config, err);
}

static int receive_head(struct guest *g, struct errmsg *err)
{
	for (;;) {
		struct message msg;

		TRY(channel_read_message(&g->ch, &msg, METADATA_MS, err));
		if (msg.cmd == MESSAGE_FIN_DATA)
			return collector_start(g->collector, err);
		if (msg.cmd != MESSAGE_SEND_DATA)
			return errmsg_set(err, -EPROTO, "the agent sends %s instead of metadata",
					  message_name(msg.cmd));
		TRY(collector_add_head(g->collector, msg.body, err));
	}
}

int guest_open(struct guest **ret_guest, const struct guest_config *config, struct errmsg *err)
{
	SCOPED(guest_free_scoped) struct guest *g = calloc(1, sizeof(*g));

	if (!g)
		return errmsg_set_errno(err, -ENOMEM, "cannot record a guest");
	g->config = *config;
	g->ch.fd = -1;
	if (config->fifos)
		g->n_fifos = fifos_open_host(config->fifos, g->fifos, MESSAGE_CPUS_MAX);
	TRY(reach(g, err));
	TRY(ask(g, err));
	TRY(settle_fifos(g, err));
	TRY(synchronise(g, err));
	TRY(collector_open(&g->collector,
			   &(struct collector_config){.path = config->path,
						      .n_cpus = g->answer.ports.n_cpus,
						      .page_size = g->answer.page_size},
			   err));
	TRY(receive_head(g, err));
	*ret_guest = TAKE(g);
	return 0;
}

static int connect_cpu(struct guest *g, uint32_t cpu, struct errmsg *err)
{
	int fd;

	if (g->n_fifos) {
		fd = dup(g->fifos[cpu]);
		return fd < 0 ? errmsg_set_errno(err, -errno, "cannot read a pipe") : fd;
	}
	fd = netaddr_connect_to(g->config.transport, &g->peer, g->answer.ports.ports[cpu],
				CONNECT_MS, err);
	TRY(fd);
	netaddr_set_keepalive(fd, TIMEOUT_S);
	if (!send_token(g, fd, cpu))
		return fd;
	close(fd);
	return errmsg_set_errno(err, -ECONNRESET, "cannot fetch the data of CPU %u", cpu);
}

static int connect_cpus(struct guest *g, int *fds, uint32_t n, struct errmsg *err)
{
	for (uint32_t i = 0; i < n; i++) {
		fds[i] = connect_cpu(g, i, err);
		if (fds[i] < 0) {
			int r = fds[i];

			while (i-- > 0)
				close(fds[i]);
			return r;
		}
	}
	return 0;
}

static int take_data(struct guest *g, struct errmsg *err)
{
	uint32_t n = g->answer.ports.n_cpus;
	SCOPED(scope_free) int *fds = malloc(n * sizeof(*fds));
	struct intake_config config = {.transport = g->config.transport,
				       .n_cpus = n,
				       .peer = g->peer,
				       .timeout_s = TIMEOUT_S,
				       .endless = g->n_fifos > 0};

	if (!fds)
		return errmsg_set_errno(err, -ENOMEM, "cannot record a guest");
	TRY(connect_cpus(g, fds, n, err));
	TRY(intake_open_connected(&g->intake, &config, fds, err));
	return intake_start(g->intake, g->collector, err);
}

int guest_start(struct guest *g, struct errmsg *err)
{
	int r = take_data(g, err);

	g->is_started = !r;
	g->ch.stop_fd = -1; /* from now on the end is announced */
	return r;
}

static int tell_loss(const struct guest *g, struct errmsg *err)
{
	return errmsg_set(err, -ECONNRESET, "the agent %s:%s is gone", g->config.host,
			  g->config.port);
}

int guest_check(struct guest *g, struct errmsg *err)
{
	struct pollfd p = {g->ch.fd, POLLIN | POLLRDHUP, 0};
	int r = g->intake ? intake_failure(g->intake) : 0;

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot write %s", g->config.path);
	r = collector_flush(g->collector, err);
	g->is_gone = poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
	if (!r && g->is_gone)
		return tell_loss(g, err);
	return r;
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

/* Announces the end and waits for the answer. Remaining data arrives while we wait. */
static int say_goodbye(struct guest *g, struct errmsg *err)
{
	struct message_out out;
	struct message msg;
	int r;

	message_make(&out, MESSAGE_CLOSE);
	r = channel_write_message(&g->ch, &out, err);
	do {
		r = r < 0 ? r : channel_read_message(&g->ch, &msg, CLOSE_MS, err);
		if (!r && msg.cmd == MESSAGE_SEND_DATA && g->answer.ports.sonde)
			r = collector_add_late(g->collector, msg.body, err);
	} while (!r && msg.cmd != MESSAGE_CLOSE_RESP);
	return r;
}

static void add_shift(struct guest *g)
{
	const struct sync_cpu *cpus;
	SCOPED(textbuf_release) struct textbuf late = {.max_bytes = SHIFT_MAX};
	SCOPED(textbuf_release) struct textbuf shift = {.max_bytes = SHIFT_MAX};
	struct errmsg ignored = {0};
	uint32_t n = 0, flags = 0;

	if (!g->sync)
		return;
	cpus = timesync_samples(g->sync, &n, &flags);
	if (n < g->answer.ports.n_cpus)
		return; /* readers need all virtual CPUs or none */
	guestopts_fmt_shift(&shift, g->config.trace_id, flags, cpus, n, false);
	metadata_fmt_late(SNF_OPTION_TIME_SHIFT, PIECE_OF_TEXT(&shift), &late);
	if (!shift.overflow && !late.overflow)
		collector_add_late(g->collector, PIECE_OF_TEXT(&late), &ignored);
}

int guest_finish(struct guest *g, struct guest_result *ret, struct errmsg *err)
{
	struct collector_result sum = {0};
	struct errmsg why = {0};
	int r = g->sync ? timesync_finish(g->sync, g->is_gone, &why) : 0, r2;

	r2 = g->is_gone ? tell_loss(g, &why) : say_goodbye(g, &why);
	r = r < 0 ? r : r2;
	if (g->intake)
		intake_finish(g->intake, !r2);
	add_shift(g);
	r2 = collector_finish(g->collector, &sum, &why);
	*ret = (struct guest_result){.trace_id = g->answer.trace_id,
				     .n_bytes = sum.n_bytes,
				     .n_cpus = g->answer.ports.n_cpus};
	if (g->sync)
		ret->sync = strcmp(g->answer.proto, "kvm") ? "ptp" : "kvm";
	r = r < 0 ? r : r2;
	guest_release(g);
	return r < 0 ? errmsg_set(err, r, "%s", why.text) : 0;
}

void guest_free(struct guest *g)
{
	struct collector_result ignored;
	struct errmsg why = {0};

	if (!g)
		return;
	if (g->intake && g->is_started)
		intake_finish(g->intake, false);
	if (g->collector) {
		collector_finish(g->collector, &ignored, &why);
		if (!g->is_started)
			outplace_unlink(g->config.path); /* the file is empty */
	}
	guest_release(g);
}
