/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receive.h - receives recordings from `trace-cmd record -N` and `sonde record -N`.
 *
 *	receiver_open     opens the ports
 *	receiver_run      runs until stop_fd is readable or, with `once`, until the first client has
 *	                  ended
 *	receiver_free
 *
 * A separate process serves each client, so that a bad client spoils only its own trace. When the
 * receiver ends, these processes end, too, and write the data so far to their files.
 */
#ifndef SONDE_WIRE_RECEIVE_H
#define SONDE_WIRE_RECEIVE_H

#include "wire/netaddr.h"

struct errmsg;
struct netkey;
struct receiver;

enum receive_level { RECEIVE_ERROR, RECEIVE_INFO, RECEIVE_DETAIL };

struct receive_config {
	const char *bind; /* NULL: loopback only; "*": everywhere; or an address */
	const char *port; /* "0": any free port */
	bool vsock;
	const char *dir, *name;	  /* DIR/NAME.HOST:PORT.dat */
	const struct netkey *key; /* NULL: accept every client, also trace-cmd */
	unsigned max_clients;	  /* limit of clients at the same time */
	uint64_t max_bytes;	  /* limit of one client's pages; 0: no limit */
	int timeout_s;		  /* a client that is unreachable for this time counts as lost */
	bool once;		  /* end after the first client */
	bool serial;		  /* serve the clients sequentially, in this process */
	int stop_fd;
	/* Logs one line without newline. The processes of clients call it, too. */
	void (*log)(void *ctx, enum receive_level level, const char *text);
	void *log_ctx;
};

/* Opens a receiver. config must stay valid until receiver_free(). */
int receiver_open(struct receiver **ret_receiver, const struct receive_config *config,
		  struct errmsg *err);
/* Gets the addresses on which it listens. Returns false if there are no more. */
bool receiver_address(const struct receiver *r, int index, struct netaddr *ret);
/*
 * Returns 0, or a negative errno if it cannot continue; with `once`, -EIO if that client's trace is
 * not complete. It also returns in the process of each client, when that has ended, with 0 or 1:
 * then free everything and exit with this status.
 */
int receiver_run(struct receiver *r, struct errmsg *err);
void receiver_free(struct receiver *r);

#endif
