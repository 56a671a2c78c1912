// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agent.c - the other side of guest.c, which shows the exchange.
 *
 * Pages go through sockets, or through pipes (fifos.h) if the host requests them and they exist.
 *
 * A session is a process. It opens the recording before it answers, so that impossible requests are
 * refused at once. The sockets for CPUs and time sync are bound to the address to which the host
 * connected, and only the host's machine may connect to them; with a key, only a host that has it.
 * If the host disconnects, or we have to end, the recording ends and the machine is restored.
 */
#include "wire/guest/agent.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "format/bytes.h"
#include "wire/channel.h"
#include "wire/guest/fifos.h"
#include "wire/netkey.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CONNECT_MS \
	300000 /* for the next step of a connected host; meanwhile trace-cmd may read all symbols */
#define TIMEOUT_S      15
#define BUSY_MS	       3000
#define TOKEN_MS       5000 /* for each part of the token */
#define HEAD_MAX_BYTES (256u << 20)
#define LATE_MAX_BYTES (64u << 20)
/* time limit for the last comparison of clocks, which is slow in trace-cmd */
#define LAST_SYNC_S    300
#define END_S	       5 /* time limit for a host that does not read, when we have to end */

struct agent {
	const struct agent_config *config;
	int fds[NETADDR_LISTEN_MAX];
	int n_fds;
	int end_pipe[2];
	pid_t pid; /* pid of the session, 0: none */
	int pid_fd;
	bool served, has_failed; /* at least one host was served; the last recording has failed */
	bool is_child;		 /* this is the process of a session */
};

struct asession {
	const struct agent_config *config;
	struct channel ch;
	struct netaddr peer, local;
	char peer_text[NETADDR_TEXT_BYTES];
	struct netkey_session key;
	struct message_request request;
	struct agent_recording rec;
	bool is_open;
	int *fds; /* descriptors, first listening, then connected; one for each CPU */
	uint32_t n_fds;
	bool fifos;
	/* time sync */
	const char *proto;
	int sync_fd;
	struct channel sync_ch;
	pthread_t sync_thread;
	bool is_syncing;
	struct errmsg sync_why; /* belongs to the thread until it is joined */
};

static void say(const struct asession *s, bool error, const char *text)
{
	char line[1200];

	snprintf(line, sizeof(line), "%s: %s", s->peer_text, text);
	s->config->log(s->config->log_ctx, error, line);
}

/*
 * --- being asked -------------------------------------------------------------------------------
 */

static int read_request(struct asession *s, struct errmsg *err)
{
	struct message msg;

	if (s->config->key)
		TRY(netkey_ask(s->config->key, &s->ch, &s->key, err));
	TRY(channel_read_message(&s->ch, &msg, s->ch.timeout_ms, err));
	return message_take_request(&msg, &s->request, err);
}

static int open_data(struct asession *s, struct message_response *answer, uint32_t *port,
		     struct errmsg *err)
{
	enum transport transport = s->config->vsock ? TRANSPORT_VSOCK : TRANSPORT_TCP;

	s->fds = malloc(s->rec.n_cpus * sizeof(*s->fds));
	if (!s->fds)
		return errmsg_set_errno(err, -ENOMEM, "cannot send");
	if (s->request.fifos && !fifos_open_guest(s->fds, s->rec.n_cpus)) {
		s->n_fds = s->rec.n_cpus;
		answer->fifos = s->fifos = true;
		return 0;
	}
	for (; s->n_fds < s->rec.n_cpus; s->n_fds++) {
		int fd = netaddr_open_data(transport, &s->local, port, err);

		TRY(fd);
		s->fds[s->n_fds] = fd;
		answer->ports.ports[s->n_fds] = *port;
	}
	return 0;
}

static int open_ports(struct asession *s, struct message_response *answer, struct errmsg *err)
{
	enum transport transport = s->config->vsock ? TRANSPORT_VSOCK : TRANSPORT_TCP;
	const struct sync_clock *clock = s->config->ops->clock(s->config->ctx);
	uint32_t port = 0;

	TRY(open_data(s, answer, &port, err));
	s->proto = clock ? timesync_choose(s->request.protos, s->request.n_protos) : NULL;
	if (s->proto) {
		s->sync_fd = netaddr_open_data(transport, &s->local, &port, err);
		if (s->sync_fd < 0)
			return s->sync_fd;
		answer->sync_port = port;
		snprintf(answer->proto, sizeof(answer->proto), "%s", s->proto);
	}
	return 0;
}

static int answer(struct asession *s, struct errmsg *err)
{
	SCOPED(scope_free) struct message_response *a = calloc(1, sizeof(*a));
	struct message_out out;

	if (!a)
		return errmsg_set_errno(err, -ENOMEM, "cannot answer");
	TRY(open_ports(s, a, err));
	a->page_size = s->rec.page_size;
	a->trace_id = s->rec.trace_id;
	a->ports.n_cpus = s->rec.n_cpus;
	a->ports.sonde = s->request.sonde;
	message_make_response(&out, a);
	return channel_write_message(&s->ch, &out, err);
}

/* Refuses a request. trace-cmd does not read the reason, but ends at once instead of waiting. */
static void refuse(struct asession *s, const char *why)
{
	struct errmsg ignored = {0};
	struct message_out out;

	if (!s->request.sonde)
		return;
	message_make_refusal(&out, why);
	channel_write_message(&s->ch, &out, &ignored);
}

/*
 * --- connections -------------------------------------------------------------------------------
 */

/* Checks the token. Reads no more than the token, because the rest is for another reader. */
static bool has_token(struct asession *s, int fd, uint32_t cpu)
{
	uint8_t right[SHA256_BYTES], theirs[SHA256_BYTES];
	size_t n = 0;

	if (!s->config->key)
		return true;
	while (n < sizeof(theirs)) {
		struct pollfd p[2] = {{fd, POLLIN, 0}, {s->ch.stop_fd, POLLIN, 0}};
		int r = poll(p, 2, TOKEN_MS);
		ssize_t got;

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0 || p[1].revents)
			return false;
		got = recv(fd, theirs + n, sizeof(theirs) - n, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		n += got;
	}
	netkey_make_token(&s->key, cpu, right);
	return digest_is_same(right, theirs);
}

/* Waits on a listening socket for the host, then closes that socket. */
static int take_connection(struct asession *s, int *fd, uint32_t cpu, struct errmsg *err)
{
	for (;;) {
		struct pollfd p[3] = {
			{*fd, POLLIN, 0}, {s->ch.stop_fd, POLLIN, 0}, {s->ch.fd, POLLRDHUP, 0}};
		int n = poll(p, 3, CONNECT_MS), c;
		struct netaddr from;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || p[1].revents || p[2].revents)
			return channel_refuse(n <= 0	     ? -ETIMEDOUT
					      : p[1].revents ? -ECANCELED
							     : -ENOTCONN,
					      "wait for the host to fetch its data", err);
		c = accept4(*fd, NULL, NULL, SOCK_CLOEXEC);
		if (c < 0)
			continue;
		if (netaddr_of_peer(c, &from) < 0 || !netaddr_same_host(&from, &s->peer) ||
		    !has_token(s, c, cpu)) {
			say(s, true, "refused a connection from another machine");
			close(c);
			continue;
		}
		netaddr_set_send_limit(c);
		fcntl(c, F_SETFL, fcntl(c, F_GETFL) & ~O_NONBLOCK);
		close(*fd);
		*fd = c;
		return 0;
	}
}

static void *sync_run(void *arg)
{
	struct asession *s = arg;

	timesync_answer(&s->sync_ch, s->proto, s->config->ops->clock(s->config->ctx), &s->sync_why);
	return NULL;
}

static int start_sync(struct asession *s, struct errmsg *err)
{
	int r;

	if (!s->proto)
		return 0;
	TRY(take_connection(s, &s->sync_fd, NETKEY_SYNC_CPU, err));
	netaddr_set_keepalive(s->sync_fd, TIMEOUT_S);
	netaddr_set_loss_limit(s->sync_fd, TIMEOUT_S);
	channel_init(&s->sync_ch, s->sync_fd, s->ch.stop_fd);
	s->sync_ch.timeout_ms = TIMESYNC_STEP_MS;
	s->sync_fd = -1;
	r = pthread_create(&s->sync_thread, NULL, sync_run, s);
	s->is_syncing = !r;
	if (r)
		channel_release(&s->sync_ch);
	return r ? errmsg_set_errno(err, -r, "cannot start a thread") : 0;
}

static int send_head(struct asession *s, struct errmsg *err)
{
	TEXTBUF(head, HEAD_MAX_BYTES);
	int r = s->config->ops->head(s->config->ctx, &head, err);

	s->ch.timeout_ms = CONNECT_MS;
	r = r < 0 ? r : channel_write_data(&s->ch, PIECE_OF_TEXT(&head), err);
	netaddr_set_loss_limit(s->ch.fd, TIMEOUT_S);
	return r;
}

/*
 * --- recording ---------------------------------------------------------------------------------
 */

/* Returns 0 when the host ends the recording. */
static int wait_for_close(struct asession *s, struct errmsg *err)
{
	int failed_fd = s->config->ops->fd(s->config->ctx);

	for (;;) {
		struct pollfd p[3] = {
			{s->ch.fd, POLLIN, 0}, {s->ch.stop_fd, POLLIN, 0}, {failed_fd, POLLIN, 0}};
		struct message msg;

		if (s->ch.start == s->ch.end && poll(p, 3, -1) < 0 && errno != EINTR)
			return errmsg_set_errno(err, -errno, "cannot wait");
		if (p[1].revents)
			return channel_refuse(-ECANCELED, "go on", err);
		if (p[2].revents)
			return -EIO; /* stop says why */
		if (!p[0].revents && s->ch.start == s->ch.end)
			continue;
		TRY(channel_read_message(&s->ch, &msg, s->ch.timeout_ms, err));
		if (msg.cmd == MESSAGE_CLOSE)
			return 0;
	}
}

/*
 * Shortens the time limits: the recorder must not wait for a host that has disconnected, nor long
 * for one that does not read.
 */
static void hurry(struct asession *s, int why)
{
	for (uint32_t i = 0; i < s->n_fds; i++)
		if (why == -ECANCELED)
			netaddr_set_loss_limit(s->fds[i], END_S);
		else
			shutdown(s->fds[i], SHUT_RDWR);
}

static int record(struct asession *s, struct errmsg *err)
{
	struct errmsg late = {0};
	int r, r2;

	for (uint32_t i = 0; i < s->n_fds && !s->fifos; i++)
		TRY(take_connection(s, &s->fds[i], i, err));
	TRY(s->config->ops->start(s->config->ctx, s->fds, err));
	say(s, false, s->fifos ? "records through pipes" : "records");
	r = wait_for_close(s, err);
	if (r < 0)
		hurry(s, r);
	r2 = s->config->ops->stop(s->config->ctx, &late);
	if (r == -EIO && !err->code)
		errmsg_set(err, r, "the recording cannot continue: %s",
			   late.code ? late.text : "the recorder has ended");
	if (r2 < 0 && !r)
		errmsg_set(err, r2, "%s", late.text);
	return r < 0 ? r : r2;
}

/* Sends the data that was learned during the recording. */
static int send_late(struct asession *s, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf late = {.max_bytes = LATE_MAX_BYTES};

	if (!s->request.sonde)
		return 0;
	s->config->ops->late(s->config->ctx, &late);
	if (!late.overflow)
		TRY(channel_write_data(&s->ch, PIECE_OF_TEXT(&late), err));
	return 0;
}

static void close_data(struct asession *s)
{
	while (s->n_fds)
		close(s->fds[--s->n_fds]);
	if (s->sync_fd >= 0)
		close(s->sync_fd);
	s->sync_fd = -1;
}

static void end_sync(struct asession *s, bool in_order)
{
	struct timespec until;

	if (!s->is_syncing)
		return;
	/* trace-cmd compares the clocks again at the very end */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += in_order ? LAST_SYNC_S : 0;
	if (pthread_timedjoin_np(s->sync_thread, NULL, &until)) {
		shutdown(s->sync_ch.fd, SHUT_RDWR);
		pthread_join(s->sync_thread, NULL);
	}
	channel_release(&s->sync_ch);
	if (in_order && s->sync_why.code) {
		char text[sizeof(s->sync_why.text) + 64];

		snprintf(text, sizeof(text), "could not compare the clocks: %s", s->sync_why.text);
		say(s, true, text);
	}
}

static void end(struct asession *s, bool in_order)
{
	struct errmsg ignored = {0};
	struct message_out out;

	close_data(s);
	if (in_order) {
		message_make(&out, MESSAGE_CLOSE_RESP);
		channel_write_message(&s->ch, &out, &ignored);
	}
	end_sync(s, in_order);
	if (s->is_open)
		s->config->ops->close(s->config->ctx);
	channel_release(&s->ch);
	free(s->fds);
}

static int converse(struct asession *s, struct errmsg *err)
{
	int r;

	if (netaddr_of_peer(s->ch.fd, &s->peer) < 0 || netaddr_of_socket(s->ch.fd, &s->local) < 0)
		return -ENOTCONN;
	netaddr_fmt(&s->peer, s->peer_text);
	TRY(read_request(s, err));
	s->is_open = true;
	r = s->config->ops->open(s->config->ctx, s->request.args, s->request.n_args, &s->rec, err);
	if (r < 0) {
		refuse(s, err->text);
		return r;
	}
	TRY(answer(s, err));
	TRY(start_sync(s, err));
	TRY(send_head(s, err));
	TRY(record(s, err));
	return send_late(s, err);
}

/* Takes ownership of fd. */
static int serve(const struct agent_config *config, int fd, int stop_fd)
{
	SCOPED(scope_free) struct asession *s = calloc(1, sizeof(*s));
	struct errmsg err = {0};
	int r;

	if (!s) {
		close(fd);
		return -ENOMEM;
	}
	s->config = config;
	s->sync_fd = -1;
	channel_init(&s->ch, fd, stop_fd);
	netaddr_set_keepalive(fd, TIMEOUT_S);
	snprintf(s->peer_text, sizeof(s->peer_text), "host");
	r = converse(s, &err);
	say(s, r < 0, r < 0 ? err.text : "done");
	end(s, !r);
	return r;
}

/*
 * --- listening ---------------------------------------------------------------------------------
 */

void agent_free(struct agent *a)
{
	if (!a)
		return;
	for (int i = 0; i < a->n_fds; i++)
		close(a->fds[i]);
	for (int i = 0; i < 2; i++)
		if (a->end_pipe[i] >= 0)
			close(a->end_pipe[i]);
	free(a);
}

int agent_open(struct agent **ret_agent, const struct agent_config *config, struct errmsg *err)
{
	struct agent *a = calloc(1, sizeof(*a));
	int n;

	if (!a)
		return errmsg_set_errno(err, -ENOMEM, "cannot listen");
	a->config = config;
	a->end_pipe[0] = a->end_pipe[1] = a->pid_fd = -1;
	n = pipe2(a->end_pipe, O_CLOEXEC) < 0
		    ? errmsg_set_errno(err, -errno, "cannot listen")
		    : netaddr_listen_either(config->vsock, config->bind, config->port, a->fds, err);
	if (n < 0) {
		agent_free(a);
		return n;
	}
	a->n_fds = n;
	*ret_agent = a;
	return 0;
}

bool agent_address(const struct agent *a, int index, struct netaddr *ret)
{
	return index < a->n_fds && !netaddr_of_socket(a->fds[index], ret);
}

/*
 * Returns true if the client is allowed. This is checked for each connection, because the address
 * of a name may change.
 */
static bool is_welcome(const struct agent *a, int fd)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	struct netaddr peer, one;
	bool found = false;
	char text[320];
	int r;

	if (!a->config->client)
		return true;
	if (netaddr_of_peer(fd, &peer) < 0)
		return false;
	r = getaddrinfo(a->config->client, NULL, &hints, &list);
	if (r) {
		snprintf(text, sizeof(text), "cannot find the address of %.200s: %s",
			 a->config->client, gai_strerror(r));
		a->config->log(a->config->log_ctx, true, text);
		return false;
	}
	for (const struct addrinfo *i = list; i && !found; i = i->ai_next) {
		one.len = i->ai_addrlen;
		memcpy(&one.addr, i->ai_addr, i->ai_addrlen);
		found = netaddr_same_host(&peer, &one);
	}
	freeaddrinfo(list);
	return found;
}

static void reap(struct agent *a)
{
	int status = 0;

	waitpid(a->pid, &status, 0);
	a->has_failed = !WIFEXITED(status) || WEXITSTATUS(status);
	if (a->pid_fd >= 0)
		close(a->pid_fd);
	a->pid = 0;
	a->pid_fd = -1;
	a->served = true;
}

/*
 * Waits for a session that has answered its host but still cleans up, so that a new request is not
 * refused.
 */
static void wait_for_session(struct agent *a)
{
	struct pollfd p[2] = {{a->pid_fd, POLLIN, 0}, {a->config->stop_fd, POLLIN, 0}};

	if (a->pid && !a->config->once && poll(p, 2, BUSY_MS) > 0 && p[0].revents)
		reap(a);
}

static void take_host(struct agent *a, int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	wait_for_session(a);
	if (a->pid || !is_welcome(a, fd)) {
		a->config->log(a->config->log_ctx, true,
			       a->pid ? "busy: refused a host"
				      : "refused a host that is not allowed");
		close(fd);
		return;
	}
	if (a->config->serial) {
		a->has_failed = serve(a->config, fd, a->config->stop_fd) < 0;
		a->served = true;
		return;
	}
	a->pid = fork();
	if (a->pid < 0)
		a->config->log(a->config->log_ctx, true,
			       "cannot start a process for a host; refused it");
	if (!a->pid) {
		a->is_child = true;
		close(a->end_pipe[1]);
		a->end_pipe[1] = -1;
		while (a->n_fds)
			close(a->fds[--a->n_fds]);
		a->has_failed = serve(a->config, fd, a->end_pipe[0]) < 0;
		return;
	}
	close(fd);
	if (a->pid < 0)
		a->pid = 0;
	else
		a->pid_fd = pidfd_open(a->pid, 0);
}

int agent_run(struct agent *a, struct errmsg *err)
{
	int r = 0;

	while (!r && !a->is_child && !(a->config->once && a->served)) {
		struct pollfd p[2 + NETADDR_LISTEN_MAX] = {{a->config->stop_fd, POLLIN, 0},
							   {a->pid_fd, POLLIN, 0}};

		for (int i = 0; i < a->n_fds; i++)
			p[2 + i] = (struct pollfd){a->fds[i], POLLIN, 0};
		if (poll(p, 2 + a->n_fds, -1) < 0) {
			r = errno == EINTR ? 0 : -errno;
			continue;
		}
		if (p[0].revents)
			break;
		if (p[1].revents)
			reap(a);
		for (int i = 0; i < a->n_fds; i++)
			if (p[2 + i].revents && !a->is_child)
				take_host(a, a->fds[i]);
	}
	if (a->is_child)
		return a->has_failed;
	close(a->end_pipe[1]);
	a->end_pipe[1] = -1;
	if (a->pid)
		reap(a);
	if (r < 0)
		return errmsg_set_errno(err, r, "cannot wait for hosts");
	return a->config->once && a->has_failed
		       ? errmsg_set(err, -EIO, "the recording for the host failed")
		       : 0;
}
