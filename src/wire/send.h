/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send.h - the end that records: to `trace-cmd listen` or `sonde listen` on another machine.
 *
 *	sender_open          connected, and agreed on how
 *	sender_head          metadata.h makes the bytes for sender_protocol()
 *	    sender_write     pages, by one thread for each CPU; or straight to sender_cpu_fd()
 *	    sender_check     now and then
 *	sender_add_late      names of tasks and statistics, where the other end is sonde
 *	sender_close         all is sent
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
	const struct netkey *key; /* NULL: none; with a key the other end must have it, too */
	int timeout_s;		  /* unreachable for so long: gone; 0: 15 */
	int stop_fd;		  /* readable: do not begin; 0 or -1: none */
	int protocol;		  /* 0: 3, or 1 where the other end knows no other; 1: only that */
};

/* -ECONNREFUSED, -ENOENT, -EACCES (key), -EPROTO (no listener of traces) … with a sentence. */
int sender_open(struct sender **ret_sender, const struct sender_config *config, struct errmsg *err);
/* 1 or 3. */
int sender_protocol(const struct sender *s);
bool sender_peer_is_sonde(const struct sender *s);

int sender_head(struct sender *s, struct piece bytes, struct errmsg *err);
/*
 * The connection of a CPU; it stays ours. Over UDP each write must be one page. Blocking; -EPIPE and
 * SIGPIPE, unless that is ignored, when the other end is gone.
 */
int sender_cpu_fd(const struct sender *s, uint32_t cpu);
/* Whole pages. 0 or a negative errno; never a signal. */
int sender_write(struct sender *s, uint32_t cpu, struct piece pages);
/* 0 while the other end is there; else -ECONNRESET with a sentence, and who still writes fails, too. */
int sender_check(struct sender *s, struct errmsg *err);

/* Bytes of metadata_fmt_late(). Without effect if the other end is not sonde. */
int sender_add_late(struct sender *s, struct piece bytes, struct errmsg *err);
/* Says goodbye. Frees s in any case. */
int sender_close(struct sender *s, struct errmsg *err);
/* Hangs up. s may be NULL. */
void sender_free(struct sender *s);

#endif
