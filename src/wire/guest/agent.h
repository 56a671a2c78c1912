/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the guest's side, which waits for requests, records, and sends data. For `sonde record
 * -A` and `trace-cmd record -A`.
 *
 * The caller defines how to record (struct agent_ops): wire/ does not know tracefs. The agent
 * serves one host at a time, each in a separate process, whose end also cleans up its resources.
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

/* Functions that record. The first thread of a session's process calls them. */
struct agent_ops {
	/* Sets up the recording for these arguments of record, and waits. */
	int (*open)(void *ctx, const char *const *args, uint32_t n_args,
		    struct agent_recording *ret, struct errmsg *err);
	/* Makes the bytes to send first, see metadata.h. */
	int (*head)(void *ctx, struct textbuf *out, struct errmsg *err);
	/* Returns the clock for time sync, or NULL. Another thread uses it. */
	const struct sync_clock *(*clock)(void *ctx);
	/* Starts recording into these sockets, one for each CPU. */
	int (*start)(void *ctx, const int *fds, struct errmsg *err);
	/* Returns a descriptor that is readable when the recording cannot continue; -1: none. */
	int (*fd)(void *ctx);
	/* Stops the recording and writes the rest. */
	int (*stop)(void *ctx, struct errmsg *err);
	/* Makes the bytes to send last, after stop; see metadata_fmt_late(). */
	void (*late)(void *ctx, struct textbuf *out);
	/* Restores all settings. It is always called after open. */
	void (*close)(void *ctx);
};

struct agent_config {
	bool vsock;
	const char *port;
	const char *client; /* accept only this client; not for vsock */
	const char *bind;   /* NULL: loopback; "*": everywhere */
	const struct netkey *key;
	bool once, serial;
	int stop_fd;
	const struct agent_ops *ops;
	void *ctx;
	/* Logs one line without newline. error: the line reports an error. */
	void (*log)(void *log_ctx, bool error, const char *text);
	void *log_ctx;
};

/* Opens an agent. config must stay valid until agent_free(). */
int agent_open(struct agent **ret_agent, const struct agent_config *config, struct errmsg *err);
bool agent_address(const struct agent *a, int index, struct netaddr *ret);
/*
 * Runs until stop_fd is readable or, with `once`, until the first session has ended. It also
 * returns in the process of each session, when that has ended; then free everything and exit.
 */
int agent_run(struct agent *a, struct errmsg *err);
void agent_free(struct agent *a);

#endif
