/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h - sends a recording to `trace-cmd listen` or `sonde listen` on another machine.
 *
 *	sender_open          connects and agrees on the protocol
 *	sender_head          metadata.h makes the bytes for sender_protocol()
 *	    sender_write     pages, by one thread for each CPU; or directly to sender_cpu_fd()
 *	    sender_check     regularly
 *	sender_add_late      names of tasks and statistics, if the other side is sonde
 *	sender_close         announces the end
 */
#ifndef SONDE_WIRE_SEND_H
#define SONDE_WIRE_SEND_H

#include "format/bytes.h"
#include "wire/netaddr.h"

struct errmsg;
struct netkey;
struct sender;

struct sender_config {
	const char *host, *port; /* for vsock: CID and port */
	enum transport transport;
	uint32_t n_cpus, page_size;
	const struct netkey *key; /* key that the other side must have, too; NULL: none */
	/* a peer that is unreachable for this time counts as lost; 0: 15 */
	int timeout_s;
	int stop_fd; /* readable: do not start; 0 or -1: none */
	/* 1: use only protocol 1; 0: use protocol 3, or 1 if the other side does not support 3 */
	int protocol;
};

/*
 * Connects. Returns -ECONNREFUSED, -ENOENT, -EACCES (key), -EPROTO (not a listener for traces) …
 * with a message.
 */
int sender_open(struct sender **ret_sender, const struct sender_config *config, struct errmsg *err);
/* 1 or 3. */
int sender_protocol(const struct sender *s);
bool sender_peer_is_sonde(const struct sender *s);

int sender_head(struct sender *s, struct piece bytes, struct errmsg *err);
/*
 * Returns the connection of a CPU, which still belongs to the sender. Over UDP each write must be
 * one page. Writes block. If the other side has disconnected, they return -EPIPE and raise SIGPIPE,
 * unless that is ignored.
 */
int sender_cpu_fd(const struct sender *s, uint32_t cpu);
/* Writes whole pages. Returns 0 or a negative errno. Never causes a signal. */
int sender_write(struct sender *s, uint32_t cpu, struct piece pages);
/*
 * Returns 0 while the other side is connected, else -ECONNRESET with a message; then later writes
 * fail, too.
 */
int sender_check(struct sender *s, struct errmsg *err);

/* Sends bytes of metadata_fmt_late(). Does nothing if the other side is not sonde. */
int sender_add_late(struct sender *s, struct piece bytes, struct errmsg *err);
/* Announces the end. Always frees s. */
int sender_close(struct sender *s, struct errmsg *err);
/* Closes the connection. s may be NULL. */
void sender_free(struct sender *s);

#endif
