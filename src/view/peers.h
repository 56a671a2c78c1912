/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers.h - the user at the other end of a loopback connection.
 *
 * A sock_diag socket asks the kernel: open it before the sandbox closes. For one thread.
 */
#ifndef SONDE_VIEW_PEERS_H
#define SONDE_VIEW_PEERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct peers {
	int fd; /* -1: this kernel does not support it */
	struct sockaddr_in server;
	uint32_t seq;
	uid_t caller; /* the user who called sonde; may differ from the one it runs as */
	uid_t self;
};

/* server: the address of the listening socket, which must already listen. */
void peers_open(struct peers *ps, const struct sockaddr_in *server);
void peers_close(struct peers *ps);

/*
 * Does this client's socket belong to a user other than this one, the caller or root, or no longer
 * to any user? False also if the kernel does not answer.
 */
bool peers_is_other(struct peers *ps, const struct sockaddr_in *client);

#endif
