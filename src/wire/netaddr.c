// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netaddr.c - handles names, addresses and sockets.
 *
 * By default we listen on 127.0.0.1 and ::1, each with its own socket (a machine may have only one
 * of them). Sockets for data are bound to the address to which the control connection came, so only
 * its origin can reach them. Free ports are searched from 1500 to 6000, as in trace-cmd, because
 * firewalls are configured for this range.
 *
 * Names of peers are never looked up: the answer would come from the peer's network, take any time,
 * and become part of a file name.
 */
#include "wire/netaddr.h"
#include "base/scope.h"

#include "base/errmsg.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT_SEARCH_FROM 1500
#define PORT_SEARCH_TO	 6000
#define BACKLOG		 8
#define RETRY_MS	 50
#define SEND_LIMIT_S	 120

/*
 * --- names -------------------------------------------------------------------------------------
 */

int netaddr_split(const char *text, char *host, size_t host_bytes, char *port, size_t port_bytes,
		  struct errmsg *err)
{
	const char *colon = strrchr(text, ':'), *start = text, *end = colon;

	if (!colon) {
		snprintf(host, host_bytes, "localhost");
		if (*text && strspn(text, "0123456789") != strlen(text))
			return errmsg_set(err, -EINVAL,
					  "the port is missing: '%s' is not HOST:PORT", text);
		if (strlen(text) >= port_bytes || !*text)
			return errmsg_set(err, -EINVAL, "'%s' is not HOST:PORT", text);
		memcpy(port, text, strlen(text) + 1);
		return 0;
	}
	if (*start == '[' && colon > start && colon[-1] == ']') {
		start++;
		end--;
	}
	if (end <= start || (size_t)(end - start) >= host_bytes ||
	    strlen(colon + 1) >= port_bytes || !colon[1])
		return errmsg_set(err, -EINVAL, "'%s' is not HOST:PORT", text);
	memcpy(host, start, end - start);
	host[end - start] = 0;
	memcpy(port, colon + 1, strlen(colon + 1) + 1);
	return 0;
}

static const struct sockaddr_vm *as_vsock(const struct netaddr *a)
{
	return a->addr.ss_family == AF_VSOCK ? (const struct sockaddr_vm *)&a->addr : NULL;
}

/* Returns the IPv4 address in an IPv4-mapped IPv6 address, or NULL. */
static const struct in_addr *as_v4(const struct netaddr *a)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&a->addr;

	if (a->addr.ss_family == AF_INET)
		return &((const struct sockaddr_in *)&a->addr)->sin_addr;
	if (a->addr.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		return (const struct in_addr *)&six->sin6_addr.s6_addr[12];
	return NULL;
}

static uint32_t netaddr_port(const struct netaddr *a)
{
	switch (a->addr.ss_family) {
	case AF_INET:
		return ntohs(((const struct sockaddr_in *)&a->addr)->sin_port);
	case AF_INET6:
		return ntohs(((const struct sockaddr_in6 *)&a->addr)->sin6_port);
	case AF_VSOCK:
		return as_vsock(a)->svm_port;
	}
	return 0;
}

static void fmt(const struct netaddr *a, char text[NETADDR_TEXT_BYTES], bool brackets)
{
	char host[INET6_ADDRSTRLEN + 1] = "unknown";
	const struct in_addr *four = as_v4(a);
	bool six = false;

	if (as_vsock(a)) {
		snprintf(text, NETADDR_TEXT_BYTES, "V%u:%u", as_vsock(a)->svm_cid,
			 as_vsock(a)->svm_port);
		return;
	}
	if (four) {
		inet_ntop(AF_INET, four, host, sizeof(host));
	} else if (a->addr.ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&a->addr)->sin6_addr, host,
			  sizeof(host));
		six = brackets;
	}
	snprintf(text, NETADDR_TEXT_BYTES, "%s%s%s:%u", six ? "[" : "", host, six ? "]" : "",
		 netaddr_port(a));
}

void netaddr_fmt(const struct netaddr *a, char text[NETADDR_TEXT_BYTES])
{
	fmt(a, text, true);
}

void netaddr_fmt_name(const struct netaddr *a, char text[NETADDR_TEXT_BYTES])
{
	fmt(a, text, false);
}

bool netaddr_is_loopback(const struct netaddr *a)
{
	const struct in_addr *four = as_v4(a);

	if (as_vsock(a))
		return as_vsock(a)->svm_cid == VMADDR_CID_LOCAL;
	if (four)
		return ntohl(four->s_addr) >> 24 == 127;
	return a->addr.ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)&a->addr)->sin6_addr);
}

bool netaddr_same_host(const struct netaddr *a, const struct netaddr *b)
{
	const struct in_addr *x = as_v4(a), *y = as_v4(b);

	if (x || y)
		return x && y && x->s_addr == y->s_addr;
	if (a->addr.ss_family != b->addr.ss_family)
		return false;
	if (as_vsock(a))
		return as_vsock(a)->svm_cid == as_vsock(b)->svm_cid;
	return a->addr.ss_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)&a->addr)->sin6_addr,
		       &((const struct sockaddr_in6 *)&b->addr)->sin6_addr,
		       sizeof(struct in6_addr));
}

int netaddr_of_peer(int fd, struct netaddr *ret)
{
	ret->len = sizeof(ret->addr);
	return getpeername(fd, (struct sockaddr *)&ret->addr, &ret->len) < 0 ? -errno : 0;
}

int netaddr_of_socket(int fd, struct netaddr *ret)
{
	ret->len = sizeof(ret->addr);
	return getsockname(fd, (struct sockaddr *)&ret->addr, &ret->len) < 0 ? -errno : 0;
}

static void set_port(struct netaddr *a, uint32_t port)
{
	if (a->addr.ss_family == AF_INET)
		((struct sockaddr_in *)&a->addr)->sin_port = htons(port);
	else if (a->addr.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&a->addr)->sin6_port = htons(port);
	else if (a->addr.ss_family == AF_VSOCK)
		((struct sockaddr_vm *)&a->addr)->svm_port = port;
}

/*
 * --- connecting --------------------------------------------------------------------------------
 */

static int connect_within(int fd, const struct sockaddr *addr, socklen_t len, int timeout_ms)
{
	struct pollfd p = {fd, POLLOUT, 0};
	socklen_t size = sizeof(int);
	int r, code = 0;

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	r = connect(fd, addr, len) < 0 ? -errno : 0;
	if (r == -EINPROGRESS || r == -EINTR) {
		do
			r = poll(&p, 1, timeout_ms);
		while (r < 0 && errno == EINTR);
		if (r <= 0)
			return r ? -errno : -ETIMEDOUT;
		r = getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) < 0 ? -errno : -code;
	}
	if (!r)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return r;
}

static int connect_addr(int kind, const struct sockaddr *addr, socklen_t len, int timeout_ms)
{
	int fd = socket(addr->sa_family, kind | SOCK_CLOEXEC, 0), r;

	if (fd < 0)
		return -errno;
	r = connect_within(fd, addr, len, timeout_ms);
	if (r < 0) {
		close(fd);
		return r;
	}
	return fd;
}

static int parse_number(const char *text, uint32_t *ret)
{
	char *end;
	unsigned long v;

	errno = 0;
	v = strtoul(text, &end, 0);
	if (errno || *end || !*text || *text == '-' || v > UINT32_MAX)
		return -EINVAL;
	*ret = v;
	return 0;
}

static int connect_vsock(const char *host, const char *port, int timeout_ms, struct errmsg *err)
{
	struct sockaddr_vm addr = {.svm_family = AF_VSOCK};
	int r;

	if (parse_number(host, &addr.svm_cid) < 0 || parse_number(port, &addr.svm_port) < 0)
		return errmsg_set(err, -EINVAL, "'%s:%s' is not CID:PORT, two numbers", host, port);
	r = connect_addr(SOCK_STREAM, (struct sockaddr *)&addr, sizeof(addr), timeout_ms);
	return r < 0 ? errmsg_set_errno(err, r, "cannot connect to vsock %s:%s", host, port) : r;
}

int netaddr_connect(enum transport transport, const char *host, const char *port, int timeout_ms,
		    struct errmsg *err)
{
	int kind = transport == TRANSPORT_UDP ? SOCK_DGRAM : SOCK_STREAM;
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = kind}, *list;
	int r = -EADDRNOTAVAIL;

	if (transport == TRANSPORT_VSOCK)
		return connect_vsock(host, port, timeout_ms, err);
	r = getaddrinfo(host, port, &hints, &list);
	if (r)
		return errmsg_set(err, -ENOENT, "cannot find %s:%s: %s", host, port,
				  gai_strerror(r));
	for (const struct addrinfo *a = list; a; a = a->ai_next) {
		r = connect_addr(kind, a->ai_addr, a->ai_addrlen, timeout_ms);
		if (r >= 0)
			break;
	}
	freeaddrinfo(list);
	return r < 0 ? errmsg_set_errno(err, r, "cannot connect to %s:%s", host, port) : r;
}

int netaddr_connect_to(enum transport transport, const struct netaddr *a, uint32_t port,
		       int timeout_ms, struct errmsg *err)
{
	int kind = transport == TRANSPORT_UDP ? SOCK_DGRAM : SOCK_STREAM;
	struct netaddr to = *a;
	char text[NETADDR_TEXT_BYTES];
	int r;

	set_port(&to, port);
	for (int waited_ms = 0;; waited_ms += RETRY_MS) {
		r = connect_addr(kind, (struct sockaddr *)&to.addr, to.len, timeout_ms);
		if ((r != -ECONNREFUSED && r != -ECONNRESET) || waited_ms >= timeout_ms)
			break;
		usleep(RETRY_MS * 1000);
	}
	netaddr_fmt(&to, text);
	return r < 0 ? errmsg_set_errno(err, r, "cannot connect to %s", text) : r;
}

/*
 * --- listening ---------------------------------------------------------------------------------
 */

static int bind_addr(int kind, const struct netaddr *a, bool reuse)
{
	int fd = socket(a->addr.ss_family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;

	if (fd < 0)
		return -errno;
	if (reuse)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (const struct sockaddr *)&a->addr, a->len) < 0 ||
	    (kind == SOCK_STREAM && listen(fd, BACKLOG) < 0)) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

static int listen_one(const struct addrinfo *info, uint32_t port)
{
	struct netaddr a = {.len = info->ai_addrlen};
	int fd, yes = 1;

	memcpy(&a.addr, info->ai_addr, info->ai_addrlen);
	if (port)
		set_port(&a, port);
	/* non-blocking: a client may have disconnected between poll() and accept() */
	fd = socket(a.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (a.addr.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&a.addr, a.len) < 0 || listen(fd, BACKLOG) < 0) {
		int r = -errno;

		close(fd);
		return r;
	}
	return fd;
}

/* Listens on 127.0.0.1 before ::1, so that a free port is chosen where clients expect it. */
static int listen_names(const char *const *names, const char *port, int fds[NETADDR_LISTEN_MAX],
			struct errmsg *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
	int n = 0, r = 0, worst = 0;
	uint32_t chosen = 0;

	for (; *names && n < NETADDR_LISTEN_MAX; names++) {
		r = getaddrinfo(**names ? *names : NULL, port, &hints, &list);
		if (r)
			return errmsg_set(err, -EINVAL, "cannot listen on %s, port %s: %s", *names,
					  port, gai_strerror(r));
		for (const struct addrinfo *a = list; a && n < NETADDR_LISTEN_MAX; a = a->ai_next) {
			struct netaddr at;

			r = listen_one(a, chosen);
			if (r < 0) {
				worst = r;
				continue;
			}
			fds[n++] = r;
			if (!chosen && !netaddr_of_socket(r, &at))
				chosen = netaddr_port(&at);
		}
		freeaddrinfo(list);
	}
	return n ? n : worst ? worst : -EADDRNOTAVAIL;
}

int netaddr_listen(const char *host, const char *port, int fds[NETADDR_LISTEN_MAX],
		   struct errmsg *err)
{
	static const char *const loopback[] = {"127.0.0.1", "::1", NULL};
	static const char *const everywhere[] = {"0.0.0.0", "::", NULL};
	const char *const one[] = {host, NULL};
	int n = listen_names(!host		  ? loopback
			     : !strcmp(host, "*") ? everywhere
						  : one,
			     port, fds, err);

	if (n == -EADDRINUSE)
		return errmsg_set(err, n,
				  "port %s is in use: choose another with -p, or -p 0 for any "
				  "free one",
				  port);
	return n < 0 ? errmsg_set_errno(err, n, "cannot listen on port %s", port) : n;
}

static int netaddr_listen_vsock(uint32_t port, struct errmsg *err)
{
	struct netaddr a = {.len = sizeof(struct sockaddr_vm)};
	struct sockaddr_vm *vm = (struct sockaddr_vm *)&a.addr;
	int r;

	vm->svm_family = AF_VSOCK;
	vm->svm_cid = VMADDR_CID_ANY;
	vm->svm_port = port ? port : VMADDR_PORT_ANY;
	r = bind_addr(SOCK_STREAM, &a, true);
	if (r == -EAFNOSUPPORT)
		return errmsg_set(err, r,
				  "this kernel has no vsock: is the module vsock "
				  "loaded?");
	return r < 0 ? errmsg_set_errno(err, r, "cannot listen on vsock port %u", port) : r;
}

int netaddr_listen_either(bool vsock, const char *host, const char *port,
			  int fds[NETADDR_LISTEN_MAX], struct errmsg *err)
{
	uint32_t number;

	if (!vsock)
		return netaddr_listen(host, port, fds, err);
	if (parse_number(port, &number) < 0)
		return errmsg_set(err, -EINVAL, "'%s' is not a port of a vsock: use a number",
				  port);
	fds[0] = netaddr_listen_vsock(number, err);
	return fds[0] < 0 ? fds[0] : 1;
}

int netaddr_open_data(enum transport transport, const struct netaddr *a, uint32_t *ret_port,
		      struct errmsg *err)
{
	int kind = transport == TRANSPORT_UDP ? SOCK_DGRAM : SOCK_STREAM, fd = -EADDRINUSE;
	struct netaddr at = *a;

	if (transport == TRANSPORT_VSOCK) {
		fd = netaddr_listen_vsock(0, err);
		TRY(fd);
		if (netaddr_of_socket(fd, &at) == 0)
			*ret_port = netaddr_port(&at);
		return fd;
	}
	for (uint32_t port = *ret_port ? *ret_port + 1 : PORT_SEARCH_FROM;
	     port <= PORT_SEARCH_TO && fd == -EADDRINUSE; port++) {
		set_port(&at, port);
		fd = bind_addr(kind, &at, false);
		*ret_port = port;
	}
	return fd < 0 ? errmsg_set_errno(err, fd, "cannot get a port for the data of a CPU") : fd;
}

void netaddr_set_keepalive(int fd, int timeout_s)
{
	int yes = 1, step = timeout_s / 5 > 1 ? timeout_s / 5 : 1, tries = 4;

	/* vsock does not support these options and needs none: the host knows when a guest dies */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &step, sizeof(step));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &step, sizeof(step));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
}

void netaddr_set_send_limit(int fd)
{
	netaddr_set_loss_limit(fd, SEND_LIMIT_S);
}

void netaddr_set_loss_limit(int fd, int timeout_s)
{
	unsigned limit_ms = timeout_s < INT_MAX / 1000 ? timeout_s * 1000 : INT_MAX;

	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms, sizeof(limit_ms));
}
