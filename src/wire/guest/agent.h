/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the guest's side: waits for requests, records, sends. For `sonde record -A` and
 * `trace-cmd record -A`.
 *
 * The caller defines how to record (struct agent_ops): wire/ does not know tracefs. One host at a
 * time, each in a separate process, so that its remains are cleaned up with it.
 */
#ifndef SONDE_WIRE_GUEST_AGENT_H
#define SONDE_WIRE_GUEST_AGENT_H

#include "wire/netaddr.h"
#include "wire/sync/timesync.h"

struct agent;
struct errmsg;
struct netkey;
struct textbuf;

struct agent_recording {
	uint32_t n_cpus, page_size;
	uint64_t trace_id;
};

/* All are called in the process of the session, by its first thread. */
struct agent_ops {
	/* Sets everything up for these arguments of record, and waits. */
	int (*open)(void *ctx, const char *const *args, uint32_t n_args,
		    struct agent_recording *ret, struct errmsg *err);
	/* The bytes to send first, see metadata.h. */
	int (*head)(void *ctx, struct textbuf *out, struct errmsg *err);
	/* For time sync; NULL: none. Another thread uses it. */
	const struct sync_clock *(*clock)(void *ctx);
	/* Records into these sockets, one for each CPU. */
	int (*start)(void *ctx, const int *fds, struct errmsg *err);
	/* Readable when it cannot continue; -1: none. */
	int (*fd)(void *ctx);
	/* Stops and writes the rest. */
	int (*stop)(void *ctx, struct errmsg *err);
	/* After stop: what to send last, see metadata_fmt_late(). */
	void (*late)(void *ctx, struct textbuf *out);
	/* Restores everything. Called after open, in any case. */
	void (*close)(void *ctx);
};

struct agent_config {
	bool vsock;
	const char *port;
	const char *client; /* not for vsock: accept only this client */
	const char *bind;   /* NULL: loopback; "*": everywhere */
	const struct netkey *key;
	bool once, serial;
	int stop_fd;
	const struct agent_ops *ops;
	void *ctx;
	/* Gets one line without newline; error: something went wrong. */
	void (*log)(void *log_ctx, bool error, const char *text);
	void *log_ctx;
};

/* config must stay valid until agent_free(). */
int agent_open(struct agent **ret_agent, const struct agent_config *config, struct errmsg *err);
bool agent_address(const struct agent *a, int index, struct netaddr *ret);
/*
 * Runs until stop_fd is readable, or after the first session with `once`. It also returns in the
 * process of each session, when that is done: free everything and exit.
 */
int agent_run(struct agent *a, struct errmsg *err);
void agent_free(struct agent *a);

#endif
