/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers.h - finds the user at the other end of a loopback connection.
 *
 * It queries the kernel through a sock_diag socket, which must be opened before the sandbox starts.
 * For one thread.
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
	/* the user who called sonde, who may differ from the user as which sonde runs */
	uid_t caller;
	uid_t self;
};

/*
 * Opens the sock_diag socket. server is the address of the listening socket, which must already
 * listen.
 */
void peers_open(struct peers *ps, const struct sockaddr_in *server);
void peers_close(struct peers *ps);

/*
 * Returns true if the client's socket belongs to a user other than this one, the caller or root, or
 * to no user any more. Returns false if the kernel does not answer.
 */
bool peers_is_other(struct peers *ps, const struct sockaddr_in *client);

#endif
