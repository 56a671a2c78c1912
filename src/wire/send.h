/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h - the side that records: to `trace-cmd listen` or `sonde listen` on another machine.
 *
 *	sender_open          connects and agrees on the protocol
 *	sender_head          metadata.h makes the bytes for sender_protocol()
 *	    sender_write     pages, by one thread for each CPU; or directly to sender_cpu_fd()
 *	    sender_check     regularly
 *	sender_add_late      names of tasks and statistics, if the other side is sonde
 *	sender_close         everything is sent
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
	const struct netkey *key; /* NULL: none; if given, the other side must have it, too */
	int timeout_s;		  /* unreachable for this long: lost; 0: 15 */
	int stop_fd;		  /* readable: do not start; 0 or -1: none */
	/* 0: 3, or 1 if the other side supports nothing else; 1: only that */
	int protocol;
};

/* -ECONNREFUSED, -ENOENT, -EACCES (key), -EPROTO (not a listener for traces) … with a message. */
int sender_open(struct sender **ret_sender, const struct sender_config *config, struct errmsg *err);
/* 1 or 3. */
int sender_protocol(const struct sender *s);
bool sender_peer_is_sonde(const struct sender *s);

int sender_head(struct sender *s, struct piece bytes, struct errmsg *err);
/*
 * The connection of a CPU; it still belongs to the sender. Over UDP each write must be one page.
 * Blocking; -EPIPE and SIGPIPE, unless that is ignored, when the other side has disconnected.
 */
int sender_cpu_fd(const struct sender *s, uint32_t cpu);
/* Whole pages. Returns 0 or a negative errno; never causes a signal. */
int sender_write(struct sender *s, uint32_t cpu, struct piece pages);
/*
 * Returns 0 while the other side is connected; else -ECONNRESET with a message, and later writes
 * fail, too.
 */
int sender_check(struct sender *s, struct errmsg *err);

/* Bytes of metadata_fmt_late(). Does nothing if the other side is not sonde. */
int sender_add_late(struct sender *s, struct piece bytes, struct errmsg *err);
/* Announces the end. Always frees s. */
int sender_close(struct sender *s, struct errmsg *err);
/* Closes the connection. s may be NULL. */
void sender_free(struct sender *s);

#endif
