// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intake.c - reads the ports on which the pages of CPUs arrive.
 *
 *	port of CPU 0 ─┐
 *	port of CPU 4 ─┼─▶ worker 0 ─┐
 *	port of CPU 1 ─┐             ├─▶ collector
 *	port of CPU 5 ─┼─▶ worker 1 ─┘
 *
 * A few threads share the CPUs, so a client with a thousand of them does not need a thousand
 * threads. A port goes through these states:
 *
 *	WAITING   listening; the connection has not come yet (UDP begins as OPEN)
 *	TOKEN     connected, with a shared key: waiting for the 32 bytes that identify the client
 *	OPEN      pages arrive
 *	DONE      closed by the client
 *
 * Only the machine of the control connection may connect; with a key only a client that knows it.
 * At the end, a client that announced the end gets time to close its connections. For a client that
 * disappeared, only data that the kernel has received is read.
 */
#include "base/scope.h"
#include "format/bytes.h"
#include "wire/reception_int.h"

#include "base/clock.h"
#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define WORKERS_MAX	 4
#define BUFFER_BYTES	 (256 << 10)
#define UDP_SOCKET_BYTES (8 << 20)
#define TOKEN_MS	 5000
#define IDLE_IN_ORDER_MS 5000 /* time limit for connections to be closed after the announced end */
#define IDLE_MS		 500  /* time limit for data on its way: datagrams, or after a loss */
#define FLUSH_MS	 1000
#define READS_IN_A_ROW	 16 /* reads from one port before the others get their turn */

enum port_state { PORT_WAITING, PORT_TOKEN, PORT_OPEN, PORT_DONE };

struct port {
	enum port_state state;
	int listen_fd, fd; /* -1: none */
	uint32_t cpu;
	uint8_t token[SHA256_BYTES];
	size_t n_token;
	int64_t token_until_ms;
	uint32_t n_dropped;
};

struct worker {
	struct intake *in;
	pthread_t thread;
	bool is_running;
	struct port **ports;
	size_t n_ports;
	struct pollfd *polls;
	uint8_t *buffer;
	int64_t last_ms;  /* time of the last data */
	int64_t flush_ms; /* time of the next flush */
};

struct intake {
	struct intake_config config;
	struct port *ports;
	struct worker workers[WORKERS_MAX];
	unsigned n_workers;
	struct collector *collector;
	int wake_fd;
	_Atomic int ending; /* 0: not ending; 1: in order; 2: at once */
	_Atomic int failure;
	_Atomic uint64_t n_dropped, n_strangers;
};

/*
 * --- opening -----------------------------------------------------------------------------------
 */

static void port_close(struct port *p)
{
	if (p->listen_fd >= 0)
		close(p->listen_fd);
	if (p->fd >= 0)
		close(p->fd);
	p->listen_fd = p->fd = -1;
	p->state = PORT_DONE;
}

void intake_free(struct intake *in)
{
	if (!in)
		return;
	for (uint32_t i = 0; in->ports && i < in->config.n_cpus; i++)
		port_close(&in->ports[i]);
	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		free(in->workers[i].ports);
		free(in->workers[i].polls);
		free(in->workers[i].buffer);
	}
	if (in->wake_fd >= 0)
		close(in->wake_fd);
	free(in->ports);
	free(in);
}

static void set_datagram_options(int fd)
{
	int bytes = UDP_SOCKET_BYTES, yes = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof(yes));
}

static int port_open(struct intake *in, struct port *p, uint32_t *port, struct errmsg *err)
{
	bool udp = in->config.transport == TRANSPORT_UDP;
	int fd = netaddr_open_data(in->config.transport, &in->config.local, port, err);

	TRY(fd);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (udp)
		set_datagram_options(fd);
	p->state = udp ? PORT_OPEN : PORT_WAITING;
	p->fd = udp ? fd : -1;
	p->listen_fd = udp ? -1 : fd;
	return 0;
}

static int worker_init(struct intake *in, unsigned index)
{
	struct worker *w = &in->workers[index];
	size_t max = in->config.n_cpus / in->n_workers + 1;

	w->in = in;
	w->ports = calloc(max, sizeof(*w->ports));
	w->polls = calloc(max + 1, sizeof(*w->polls));
	w->buffer = malloc(BUFFER_BYTES);
	if (!w->ports || !w->polls || !w->buffer)
		return -ENOMEM;
	for (uint32_t cpu = index; cpu < in->config.n_cpus; cpu += in->n_workers)
		w->ports[w->n_ports++] = &in->ports[cpu];
	return 0;
}

static int intake_new(struct intake **ret_intake, const struct intake_config *config,
		      struct errmsg *err)
{
	struct intake *in = calloc(1, sizeof(*in));
	int r = 0;

	if (!in)
		return errmsg_set_errno(err, -ENOMEM, "cannot receive data");
	in->config = *config;
	in->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	in->ports = calloc(config->n_cpus, sizeof(*in->ports));
	in->n_workers = config->n_cpus < WORKERS_MAX ? config->n_cpus : WORKERS_MAX;
	for (uint32_t i = 0; in->ports && i < config->n_cpus; i++)
		in->ports[i] = (struct port){PORT_DONE, -1, -1, i};
	if (in->wake_fd < 0 || !in->ports)
		r = -ENOMEM;
	for (unsigned i = 0; !r && i < in->n_workers; i++)
		r = worker_init(in, i);
	if (r < 0) {
		intake_free(in);
		return errmsg_set_errno(err, r, "cannot receive data");
	}
	*ret_intake = in;
	return 0;
}

int intake_open(struct intake **ret_intake, const struct intake_config *config,
		uint32_t ports[MESSAGE_CPUS_MAX], struct errmsg *err)
{
	struct intake *in;
	uint32_t port = 0;
	int r = intake_new(&in, config, err);

	TRY(r);
	for (uint32_t i = 0; !r && i < config->n_cpus; i++) {
		r = port_open(in, &in->ports[i], &port, err);
		ports[i] = port;
	}
	if (r < 0) {
		intake_free(in);
		return r;
	}
	*ret_intake = in;
	return 0;
}

int intake_open_connected(struct intake **ret_intake, const struct intake_config *config,
			  const int *fds, struct errmsg *err)
{
	int r = intake_new(ret_intake, config, err);

	for (uint32_t i = 0; i < config->n_cpus; i++)
		if (r < 0) {
			close(fds[i]);
		} else {
			struct port *p = &(*ret_intake)->ports[i];

			fcntl(fds[i], F_SETFL, fcntl(fds[i], F_GETFL) | O_NONBLOCK);
			p->fd = fds[i];
			p->state = PORT_OPEN;
		}
	return r;
}

/*
 * --- the threads -------------------------------------------------------------------------------
 */

static void note_failure(struct intake *in, int code)
{
	int none = 0;

	atomic_compare_exchange_strong(&in->failure, &none, code);
}

static void turn_away(struct intake *in, int fd)
{
	atomic_fetch_add(&in->n_strangers, 1);
	close(fd);
}

static void port_accept(struct intake *in, struct port *p)
{
	int fd = accept4(p->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct netaddr from;

	if (fd < 0)
		return;
	if (netaddr_of_peer(fd, &from) < 0 || !netaddr_same_host(&from, &in->config.peer)) {
		turn_away(in, fd);
		return;
	}
	netaddr_set_keepalive(fd, in->config.timeout_s);
	p->fd = fd;
	p->n_token = 0;
	p->token_until_ms = clock_now_ms() + TOKEN_MS;
	p->state = in->config.key ? PORT_TOKEN : PORT_OPEN;
	if (p->state == PORT_OPEN) {
		close(p->listen_fd);
		p->listen_fd = -1;
	}
}

static void port_read_token(struct intake *in, struct port *p)
{
	ssize_t n = read(p->fd, p->token + p->n_token, sizeof(p->token) - p->n_token);
	uint8_t right[SHA256_BYTES];

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	p->n_token += n > 0 ? n : 0;
	if (n > 0 && p->n_token < sizeof(p->token))
		return;
	netkey_make_token(in->config.key, p->cpu, right);
	if (n > 0 && digest_is_same(right, p->token)) {
		close(p->listen_fd);
		p->listen_fd = -1;
		p->state = PORT_OPEN;
		return;
	}
	turn_away(in, p->fd);
	p->fd = -1;
	p->state = PORT_WAITING;
}

static void count_dropped(struct intake *in, struct port *p, struct msghdr *msg)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m)) {
		uint32_t n;

		if (m->cmsg_level != SOL_SOCKET || m->cmsg_type != SO_RXQ_OVFL)
			continue;
		memcpy(&n, CMSG_DATA(m), sizeof(n));
		atomic_fetch_add(&in->n_dropped, n - p->n_dropped);
		p->n_dropped = n;
	}
}

static ssize_t read_datagram(struct worker *w, struct port *p)
{
	char control[CMSG_SPACE(sizeof(uint32_t))];
	struct iovec room = {w->buffer, BUFFER_BYTES};
	struct netaddr from;
	struct msghdr msg = {.msg_name = &from.addr,
			     .msg_namelen = sizeof(from.addr),
			     .msg_iov = &room,
			     .msg_iovlen = 1,
			     .msg_control = control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(p->fd, &msg, 0);

	if (n < 0)
		return n;
	from.len = msg.msg_namelen;
	count_dropped(w->in, p, &msg);
	if (!netaddr_same_host(&from, &w->in->config.peer)) {
		atomic_fetch_add(&w->in->n_strangers, 1);
		errno = EINTR; /* treat it as if it had not come */
		return -1;
	}
	return n;
}

static void port_read(struct worker *w, struct port *p)
{
	bool udp = w->in->config.transport == TRANSPORT_UDP;

	for (int i = 0; i < READS_IN_A_ROW; i++) {
		ssize_t n = udp ? read_datagram(w, p) : read(p->fd, w->buffer, BUFFER_BYTES);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 || (!n && !udp)) {
			port_close(p);
			return;
		}
		w->last_ms = clock_now_ms();
		r = collector_add_bytes(w->in->collector, p->cpu, (struct piece){w->buffer, n},
					udp);
		if (r < 0) {
			note_failure(w->in, r);
			port_close(p);
			return;
		}
	}
}

static void port_serve(struct worker *w, struct port *p)
{
	if (p->state == PORT_WAITING)
		port_accept(w->in, p);
	else if (p->state == PORT_TOKEN)
		port_read_token(w->in, p);
	else if (p->state == PORT_OPEN)
		port_read(w, p);
}

/* Fills polls. Returns how many ports to wait for. */
static size_t prepare(struct worker *w, int64_t now)
{
	size_t n_open = 0;

	for (size_t i = 0; i < w->n_ports; i++) {
		struct port *p = w->ports[i];

		if (p->state == PORT_TOKEN && now > p->token_until_ms) {
			turn_away(w->in, p->fd);
			p->fd = -1;
			p->state = PORT_WAITING;
		}
		w->polls[i] = (struct pollfd){p->fd >= 0 ? p->fd : p->listen_fd, POLLIN, 0};
		n_open += p->state == PORT_OPEN || p->state == PORT_TOKEN;
	}
	w->polls[w->n_ports] = (struct pollfd){w->in->wake_fd, POLLIN, 0};
	return n_open;
}

static void flush(struct worker *w, int64_t now)
{
	if (now < w->flush_ms)
		return;
	w->flush_ms = now + FLUSH_MS;
	for (size_t i = 0; i < w->n_ports; i++)
		if (w->ports[i]->state == PORT_OPEN)
			collector_flush_cpu(w->in->collector, w->ports[i]->cpu);
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	const struct intake_config *config = &w->in->config;
	bool has_end = config->transport != TRANSPORT_UDP && !config->endless, seen_end = false;

	for (;;) {
		int ending = atomic_load(&w->in->ending);
		int64_t now = clock_now_ms();
		size_t n_open = prepare(w, now);
		int limit = ending == 1 && has_end ? IDLE_IN_ORDER_MS : IDLE_MS, n;

		flush(w, now);
		if (ending && !seen_end) {
			seen_end = true;
			w->last_ms = now;
		}
		/* check the listening sockets once more: a connection may have come just now */
		n = poll(w->polls, w->n_ports + !ending, !ending ? 1000 : n_open ? 50 : 0);
		if (n < 0 && errno != EINTR)
			break;
		for (size_t i = 0; n > 0 && i < w->n_ports; i++)
			if (w->polls[i].revents)
				port_serve(w, w->ports[i]);
		if (ending && n <= 0 && (!n_open || clock_now_ms() - w->last_ms > limit))
			break;
	}
	return NULL;
}

int intake_start(struct intake *in, struct collector *collector, struct errmsg *err)
{
	in->collector = collector;
	for (unsigned i = 0; i < in->n_workers; i++) {
		int r = pthread_create(&in->workers[i].thread, NULL, worker_run, &in->workers[i]);

		if (r)
			return errmsg_set_errno(err, -r, "cannot start a thread");
		in->workers[i].is_running = true;
	}
	return 0;
}

int intake_failure(const struct intake *in)
{
	return atomic_load(&in->failure);
}

uint64_t intake_dropped(const struct intake *in)
{
	return atomic_load(&in->n_dropped);
}

uint64_t intake_strangers(const struct intake *in)
{
	return atomic_load(&in->n_strangers);
}

void intake_finish(struct intake *in, bool in_order)
{
	uint64_t one = 1;

	atomic_store(&in->ending, in_order ? 1 : 2);
	/* if this fails, the threads check once a second */
	(void)!write(in->wake_fd, &one, sizeof(one));
	for (unsigned i = 0; i < in->n_workers; i++)
		if (in->workers[i].is_running)
			pthread_join(in->workers[i].thread, NULL);
}
