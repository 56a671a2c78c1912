/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * receive.h - the side that receives recordings: from `trace-cmd record -N` and `sonde record -N`.
 *
 *	receiver_open     opens the ports
 *	receiver_run      until stop_fd is readable, or after the first client with `once`
 *	receiver_free
 *
 * A separate process serves each client, so that a bad client spoils only its own trace. When the
 * receiver ends, they end, too, each with the data so far in its file.
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
	const char *port; /* "0": any free one */
	bool vsock;
	const char *dir, *name;	  /* DIR/NAME.HOST:PORT.dat */
	const struct netkey *key; /* NULL: accept every client, trace-cmd too */
	unsigned max_clients;	  /* at the same time */
	uint64_t max_bytes;	  /* of one client's pages; 0: no limit */
	int timeout_s;		  /* a client that is unreachable for this long counts as lost */
	bool once;		  /* end after the first client */
	bool serial;		  /* one client after the other, in this process */
	int stop_fd;
	/* Gets one line without newline; also called from the processes of clients. */
	void (*log)(void *ctx, enum receive_level level, const char *text);
	void *log_ctx;
};

/* config must stay valid until receiver_free(). */
int receiver_open(struct receiver **ret_receiver, const struct receive_config *config,
		  struct errmsg *err);
/* The addresses on which it listens; false: no more. */
bool receiver_address(const struct receiver *r, int index, struct netaddr *ret);
/*
 * Returns 0, or a negative errno if it cannot continue; with `once` -EIO if that client's trace is
 * not complete. It also returns in the process of each client, when that is done, with 0 or 1: free
 * everything and exit with that.
 */
int receiver_run(struct receiver *r, struct errmsg *err);
void receiver_free(struct receiver *r);

#endif
