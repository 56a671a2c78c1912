// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * network.c - sends the kernel's buffers to sockets.
 *
 *	kernel ──▶ recorder ──▶ socket of each CPU ──▶ listener
 *
 * Over TCP and vsock sub-buffers are spliced from the kernel's pages into the socket if the kernel
 * supports it; over UDP each is a separate datagram. If a connection fails, the recording ends; the
 * listener's file contains what was sent.
 *
 * Each buffer of a plan (-B) has its own connection and becomes a separate file, as with trace-cmd:
 * the protocol supports only one buffer.
 */
#include "live/remote/network.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/tracedat.h"
#include "live/request.h"
#include "store/tracefile.h"
#include "wire/netkey.h"
#include "wire/send.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_MAX_BYTES	(256u << 20)
#define LATE_MAX_BYTES	(64u << 20)
#define STATS_MAX_BYTES (1u << 20)
#define FLUSH_MS	500
#define TICK_MS		500
/* limit for a peer that does not read; sockets notice a lost peer earlier */
#define STALL_MS	120000

struct netsink {
	int fd;
	bool is_socket;
	uint32_t datagram; /* size of a datagram; 0: a stream */
	_Atomic uint64_t *n_bytes;
};

struct netrecord {
	struct recorder *recorder;
	struct netsink *sinks;
	_Atomic uint64_t n_bytes;
};

/* --- what is sent around the pages ------------------------------------------------------------ */

/*
 * The data of all options is in one buffer, which moves when it grows. So the list has offsets, not
 * pointers.
 */
struct option_list {
	struct textbuf data;
	struct option_place {
		uint16_t id;
		size_t at, len;
	} * places;
	struct tracefile_option *options; /* the list that is made from the offsets at the end */
	size_t n, cap;
	uint64_t id;
};

static void options_release(struct option_list *list)
{
	textbuf_release(&list->data);
	free(list->options);
	free(list->places);
}

static int put_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	struct option_list *list = ctx;

	if (!ARRAY_ROOM(list->places, list->cap, list->n + 1, ARRAY_NO_MAX))
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	if (id == SNF_OPTION_CPUCOUNT)
		return 0; /* metadata.h contains it */
	if (id == SNF_OPTION_TRACEID && data.len == 8)
		memcpy(&list->id, data.data, 8);
	list->places[list->n++] = (struct option_place){id, textbuf_len(&list->data), data.len};
	textbuf_add(&list->data, (const char *)data.data, data.len);
	return 0;
}

static int make_options(struct option_list *list, struct errmsg *err)
{
	list->options = calloc(list->n + 1, sizeof(*list->options));
	if (!list->options)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (size_t i = 0; i < list->n && !list->data.overflow; i++)
		list->options[i] = (struct tracefile_option){
			list->places[i].id,
			{(const uint8_t *)list->data.start + list->places[i].at,
			 list->places[i].len}};
	return 0;
}

int netrecord_head(struct session *s, size_t buffer, const struct recording_config *config,
		   int protocol, struct textbuf *out, uint64_t *ret_id, struct errmsg *err)
{
	struct metadata m = {.protocol = protocol,
			     .compression = config->compression,
			     .plain_data = config->plain_data,
			     .long_size = sizeof(long),
			     .page_size = session_page_size(s, buffer),
			     .n_cpus = s->n_cpus};
	SCOPED(options_release) struct option_list list = {.data.max_bytes = LATE_MAX_BYTES};

	TRY(recording_options(s, config, put_option, &list, err));
	TRY(make_options(&list, err));
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		m.texts[kind] = session_text(s, kind);
	m.options = list.options;
	m.n_options = list.n;
	metadata_fmt(&m, out);
	if (out->overflow || list.data.overflow)
		return errmsg_set(err, -EFBIG, "the kernel has too much to say to send it");
	if (ret_id)
		*ret_id = list.id;
	return 0;
}

void netrecord_late(struct session *s, size_t buffer, struct textbuf *out)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = LATE_MAX_BYTES};

	kernelinfo_read_names(s->t.root, &s->names, NULL, &text);
	metadata_fmt_late(SNF_OPTION_CMDLINES, PIECE_OF_TEXT(&text), out);
	for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
		struct cpu_stats stats;

		textbuf_clear(&text);
		textbuf_addf(&text, "CPU: %u\n", cpu);
		if (!session_cpu_stats(s, s->setup->buffers[buffer].instance, cpu, &stats, &text))
			continue;
		textbuf_add(&text, "", 1);
		metadata_fmt_late(SNF_OPTION_CPUSTAT, PIECE_OF_TEXT(&text), out);
	}
}

/* --- the recorder ----------------------------------------------------------------------------- */

/* Returns true for a socket, false for a pipe of a guest. */
static bool is_socket(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

/* Waits until the descriptor, which may be non-blocking, is writable. */
static int wait_writable(int fd)
{
	struct pollfd p = {fd, POLLOUT, 0};

	int n = poll(&p, 1, STALL_MS);

	return n < 0 && errno != EINTR ? -errno : !n ? -ETIMEDOUT : 0;
}

/* Replaces -EPIPE, which is reserved for our own output, whose end needs no message. */
static int lost(int code)
{
	return code == EPIPE ? -ECONNRESET : -code;
}

static ssize_t sink_splice(void *ctx, int pipe_fd, size_t n_bytes)
{
	struct netsink *sink = ctx;
	size_t done = 0;

	while (done < n_bytes) {
		ssize_t n = splice(pipe_fd, NULL, sink->fd, NULL, n_bytes - done,
				   SPLICE_F_MOVE | SPLICE_F_MORE);

		if (n < 0 && errno == EAGAIN && !wait_writable(sink->fd))
			continue;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return done || !n ? -EIO : lost(errno);
		done += n;
	}
	atomic_fetch_add(sink->n_bytes, done);
	return done;
}

static int sink_take(void *ctx, const void *pages, size_t n_bytes)
{
	struct netsink *sink = ctx;
	const char *from = pages;
	size_t left = n_bytes;

	while (left) {
		size_t part = sink->datagram && sink->datagram < left ? sink->datagram : left;
		ssize_t n = sink->is_socket ? send(sink->fd, from, part, MSG_NOSIGNAL)
					    : write(sink->fd, from, part);

		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS) && !wait_writable(sink->fd))
			continue;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return lost(errno);
		from += n;
		left -= n;
	}
	atomic_fetch_add(sink->n_bytes, n_bytes);
	return 0;
}

int netrecord_start(struct netrecord **ret, struct session *s,
		    const struct recording_config *config, const struct netrecord_stream *streams,
		    size_t n_streams, struct errmsg *err)
{
	struct netrecord *nr = calloc(1, sizeof(*nr));
	struct recorder_stream *rs = calloc(n_streams + 1, sizeof(*rs));
	struct recorder_config rc = {.t = &s->t,
				     .streams = rs,
				     .n_streams = n_streams,
				     .sleep_us = config->sleep_us,
				     .flush_ms = FLUSH_MS,
				     .rt_priority = config->rt_priority,
				     .no_splice = config->no_splice,
				     .busy = config->busy};
	int r = -ENOMEM;

	if (nr)
		nr->sinks = calloc(n_streams + 1, sizeof(*nr->sinks));
	if (!nr || !rs || !nr->sinks) {
		errmsg_set_errno(err, r, "cannot record");
		goto out;
	}
	for (size_t i = 0; i < n_streams; i++) {
		const struct netrecord_stream *st = &streams[i];
		uint32_t page_size = session_page_size(s, st->buffer);

		nr->sinks[i] = (struct netsink){st->fd, is_socket(st->fd),
						st->datagram ? page_size : 0, &nr->n_bytes};
		rs[i] = (struct recorder_stream){
			.instance = s->setup->buffers[st->buffer].instance,
			.cpu = st->cpu,
			.page_size = page_size,
			.sink = {.ctx = &nr->sinks[i],
				 .splice = st->datagram ? NULL : sink_splice,
				 .take = sink_take},
		};
	}
	r = recorder_start(&nr->recorder, &rc, err);
out:
	free(rs);
	if (r < 0) {
		if (nr)
			free(nr->sinks);
		free(nr);
		return r;
	}
	*ret = nr;
	return 0;
}

void netrecord_tell_loss(const struct live_request *o, const struct errmsg *why, char **argv)
{
	char text[sizeof(why->text) + 64];

	if (!why->code || !argv)
		return;
	snprintf(text, sizeof(text), "%s; the command goes on and is not recorded", why->text);
	o->front->tell(text);
}

int netrecord_fd(const struct netrecord *nr)
{
	return recorder_fd(nr->recorder);
}

int netrecord_stop(struct netrecord *nr, uint64_t *ret_bytes, struct errmsg *err)
{
	uint64_t ns;
	int r = recorder_stop(nr->recorder, &ns, err);

	*ret_bytes = atomic_load(&nr->n_bytes);

	free(nr->sinks);
	free(nr);
	return r;
}

/* --- record -N -------------------------------------------------------------------------------- */

struct netrun {
	const struct live_request *o;
	const struct recording_config *config;
	struct session s;
	struct netkey key;
	char host[256], port[32];
	enum transport transport;
	struct netrecord_sent *sent; /* belongs to the caller */
	struct sender **senders;     /* one sender for each buffer */
	struct netrecord *nr;
	struct errmsg why;
};

static int parse_place(struct netrun *n, struct errmsg *err)
{
	const struct live_request *o = n->o;

	if (o->host && o->vsock)
		return errmsg_set(err, -EINVAL, "-N and -V are two places to send to: name one");
	if (o->output)
		return errmsg_set(err, -EINVAL,
				  "-o and %s do not go together: the listener names the file",
				  o->vsock ? "-V" : "-N");
	n->transport = o->vsock		  ? TRANSPORT_VSOCK
		       : o->tcp || o->key ? TRANSPORT_TCP
					  : TRANSPORT_UDP;
	if (netaddr_split(o->vsock ? o->vsock : o->host, n->host, sizeof(n->host), n->port,
			  sizeof(n->port), err) < 0)
		return err->code;
	/* the name of a service has no digits in front and is 0 here */
	if (!o->vsock && strtoul(n->port, NULL, 10) > UINT16_MAX)
		return errmsg_set(err, -EINVAL, "'%s' is not a port: the last one is %u", n->port,
				  UINT16_MAX);
	return 0;
}

static int open_sender(struct netrun *n, size_t buffer, struct errmsg *err)
{
	struct sender_config config = {.host = n->host,
				       .port = n->port,
				       .transport = n->transport,
				       .n_cpus = n->s.n_cpus,
				       .page_size = session_page_size(&n->s, buffer),
				       .key = n->o->key ? &n->key : NULL,
				       .timeout_s = n->o->no_timeout ? 1 << 20 : 0,
				       .stop_fd = n->s.signal_fd};
	SCOPED(textbuf_release) struct textbuf head = {.max_bytes = HEAD_MAX_BYTES};

	TRY(sender_open(&n->senders[buffer], &config, err));
	TRY(netrecord_head(&n->s, buffer, n->config, sender_protocol(n->senders[buffer]), &head,
			   NULL, err));
	return sender_head(n->senders[buffer], PIECE_OF_TEXT(&head), err);
}

static int start(struct netrun *n, struct errmsg *err)
{
	size_t n_buffers = n->s.setup->n_buffers, n_streams = 0;
	SCOPED(scope_free)
	struct netrecord_stream *streams = calloc(n_buffers * n->s.n_cpus + 1, sizeof(*streams));

	if (!streams)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (size_t i = 0; i < n_buffers; i++) {
		if (n->s.setup->buffers[i].is_latency)
			return errmsg_set(
				err, -ENOTSUP,
				"what a latency tracer finds cannot be sent: leave out -N");
		TRY(open_sender(n, i, err));
		for (unsigned cpu = 0; cpu < n->s.n_cpus; cpu++) {
			char file[64];

			snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
			if (tracefs_exists(&n->s.t, n->s.setup->buffers[i].instance, file))
				streams[n_streams++] = (struct netrecord_stream){
					i, cpu, sender_cpu_fd(n->senders[i], cpu),
					n->transport == TRANSPORT_UDP};
		}
	}
	return netrecord_start(&n->nr, &n->s, n->config, streams, n_streams, err);
}

static bool tick(void *ctx)
{
	struct netrun *n = ctx;

	return !ARRAY_ANY(n->s.setup->n_buffers, i, sender_check(n->senders[i], &n->why) < 0);
}

static int finish(struct netrun *n, uint64_t *ret_bytes, struct errmsg *err)
{
	int r = netrecord_stop(n->nr, ret_bytes, err), r2;

	for (size_t i = 0; i < n->s.setup->n_buffers; i++) {
		struct textbuf late;

		textbuf_init(&late, LATE_MAX_BYTES);
		netrecord_late(&n->s, i, &late);
		r2 = sender_add_late(n->senders[i], PIECE_OF_TEXT(&late), err);
		textbuf_release(&late);
		r = r < 0 ? r : r2;
		r2 = sender_close(n->senders[i], err);
		n->senders[i] = NULL;
		r = r < 0 ? r : r2;
	}
	return r;
}

static int record_over(struct netrun *n, char **argv, struct errmsg *err)
{
	enum session_end end;
	uint64_t n_bytes;
	int r = start(n, err);

	if (!r)
		r = session_start(&n->s, err);
	if (r < 0 && n->nr) { /* an open file of an instance prevents its removal */
		struct errmsg ignored = {0};

		netrecord_stop(n->nr, &n_bytes, &ignored);
	}
	TRY(r);
	if (n->o->begun)
		n->o->begun(n->o->begun_ctx);
	else if (!argv)
		live_request_say(n->o, "recording to %s:%s; Ctrl-C ends it", n->host, n->port);
	end = session_wait(&n->s, netrecord_fd(n->nr), TICK_MS, tick, n);
	n->o->front->end_interrupt(n->s.signal, argv);
	/*
	 * a recorder that cannot write does not know the reason; the control connection reports it
	 * soon
	 */
	for (int i = 0; end == SESSION_FAILURE && i < 20 && tick(n); i++)
		usleep(50000);
	netrecord_tell_loss(n->o, &n->why, argv);
	r = session_stop(&n->s, err);
	if (n->why.code && !err->code)
		*err = n->why;
	if (finish(n, &n_bytes, err) < 0 || r < 0 || err->code)
		return err->code ? err->code : r;
	*n->sent = (struct netrecord_sent){.n_bytes = n_bytes,
					   .seconds = (n->s.stop_ns - n->s.start_ns) / 1e9};
	memcpy(n->sent->host, n->host, sizeof(n->host));
	memcpy(n->sent->port, n->port, sizeof(n->port));
	return 0;
}

int netrecord_run(struct live_request *o, const struct recording_config *config, char **argv,
		  struct netrecord_sent *ret_sent, struct errmsg *err)
{
	struct netrun n = {.o = o, .config = config, .sent = ret_sent};
	struct session_config sc = live_request_session(o, argv);
	int r = parse_place(&n, err), r2;

	if (!r && o->key)
		r = netkey_open(&n.key, o->key, err);
	TRY(r);
	r = session_open(&n.s, &sc, err);
	if (r >= 0) {
		n.senders = calloc(n.s.setup->n_buffers + 1, sizeof(*n.senders));
		r = n.senders ? record_over(&n, argv, err)
			      : errmsg_set_errno(err, -ENOMEM, "cannot record");
		for (size_t i = 0; n.senders && i < n.s.setup->n_buffers; i++)
			sender_free(n.senders[i]);
		free(n.senders);
	}
	r2 = session_close(&n.s, err);
	return r < 0 ? r : r2;
}
