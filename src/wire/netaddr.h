/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netaddr.h - sockets and their addresses: TCP, UDP and vsock.
 *
 * An address to connect to or to listen on is written HOST:PORT, [v6]:PORT, PORT, or for vsock
 * CID:PORT. Functions that return a descriptor pass ownership to the caller; it is closed on exec.
 */
#ifndef SONDE_WIRE_NETADDR_H
#define SONDE_WIRE_NETADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

struct errmsg;

enum transport { TRANSPORT_TCP, TRANSPORT_UDP, TRANSPORT_VSOCK };

struct netaddr {
	socklen_t len;
	struct sockaddr_storage addr;
};

#define NETADDR_TEXT_BYTES 96

/* Splits "HOST:PORT" into two buffers. A number alone is a port; then the host is "localhost". */
int netaddr_split(const char *text, char *host, size_t host_bytes, char *port, size_t port_bytes,
		  struct errmsg *err);

/*
 * Writes "127.0.0.1:80", "[::1]:80" or "V3:80" (vsock). The text consists only of letters, digits
 * and .:[]_-.
 */
void netaddr_fmt(const struct netaddr *a, char text[NETADDR_TEXT_BYTES]);
/* Like netaddr_fmt(), but without [ ], for the name of a file. */
void netaddr_fmt_name(const struct netaddr *a, char text[NETADDR_TEXT_BYTES]);
bool netaddr_is_loopback(const struct netaddr *a);
/* Returns true if both are the same machine, regardless of the ports. */
bool netaddr_same_host(const struct netaddr *a, const struct netaddr *b);
int netaddr_of_peer(int fd, struct netaddr *ret);
int netaddr_of_socket(int fd, struct netaddr *ret);

/* Connects within timeout_ms. For UDP it only sets the target. */
int netaddr_connect(enum transport transport, const char *host, const char *port, int timeout_ms,
		    struct errmsg *err);
/*
 * Connects to the host of `a`, at another port that it announced. A refused connection is retried
 * until the timeout, because trace-cmd's listener announces the port before it listens.
 */
int netaddr_connect_to(enum transport transport, const struct netaddr *a, uint32_t port,
		       int timeout_ms, struct errmsg *err);

#define NETADDR_LISTEN_MAX 4
/*
 * Listens for connections on `host` (NULL: the loopback addresses; "*": everywhere) and port (0:
 * any free port, the same for all). Fills fds and returns their number, at most NETADDR_LISTEN_MAX.
 */
int netaddr_listen(const char *host, const char *port, int fds[NETADDR_LISTEN_MAX],
		   struct errmsg *err);
/* Listens on vsock, where the port is a number and the host is ignored, or as netaddr_listen(). */
int netaddr_listen_either(bool vsock, const char *host, const char *port,
			  int fds[NETADDR_LISTEN_MAX], struct errmsg *err);
/*
 * Opens a socket for the data of a CPU, at the address of `a` and a free port. TCP and vsock
 * listen. The search continues after *ret_port, if that is not 0.
 */
int netaddr_open_data(enum transport transport, const struct netaddr *a, uint32_t *ret_port,
		      struct errmsg *err);

/* Makes a peer that is unreachable for timeout_s count as lost: the socket reports it. */
void netaddr_set_keepalive(int fd, int timeout_s);
/*
 * Sets a limit for bulk data: the connection ends if data is not acknowledged for two minutes (the
 * kernel's own limit is a quarter of an hour). A shorter limit would also end the connection of a
 * peer that is busy and does not read.
 */
void netaddr_set_send_limit(int fd);
/*
 * Sets a limit for small messages: a peer that does not acknowledge one for timeout_s counts as
 * lost. Keepalive ignores a connection that has data to send. Not for bulk data, see
 * netaddr_set_send_limit().
 */
void netaddr_set_loss_limit(int fd, int timeout_s);

#endif
