/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * network.h - a session whose sub-buffers go over the network: record -N and -V, and agent.
 *
 *	netrecord_head       what is known about the kernel, as bytes to send first
 *	netrecord_start      the recorder runs, and writes to a descriptor for each CPU
 *	netrecord_stop       all is written
 *	netrecord_late       names of tasks and statistics, as bytes to send last
 *
 * netrecord_run() is all of it for `record`.
 */
#ifndef SONDE_LIVE_REMOTE_NETWORK_H
#define SONDE_LIVE_REMOTE_NETWORK_H

#include "capture/record/recording.h"
#include "wire/metadata.h"

struct live_request;
struct textbuf;

struct netrecord;

/* One buffer of the session. Returns its trace id by ret_id, which may be NULL. */
int netrecord_head(struct session *s, size_t buffer, const struct recording_config *config,
		   int protocol, struct textbuf *out, uint64_t *ret_id, struct errmsg *err);
void netrecord_late(struct session *s, size_t buffer, struct textbuf *out);

struct netrecord_stream {
	size_t buffer;
	unsigned cpu;
	int fd;	       /* not taken */
	bool datagram; /* a page for each write */
};

int netrecord_start(struct netrecord **ret, struct session *s,
		    const struct recording_config *config, const struct netrecord_stream *streams,
		    size_t n_streams, struct errmsg *err);
/* Readable when the recording cannot go on; for session_wait(). */
int netrecord_fd(const struct netrecord *nr);
/* Frees nr. The first failure of a connection, with a sentence in err. */
int netrecord_stop(struct netrecord *nr, uint64_t *ret_bytes, struct errmsg *err);

/* If there is a reason to end, and a command: says so at once, not when the command has ended. */
void netrecord_tell_loss(const struct live_request *o, const struct errmsg *why, char **argv);

struct netrecord_sent {
	char host[256], port[32];
	uint64_t n_bytes;
	double seconds;
};

/* For record: -N HOST:PORT, -V CID:PORT, -t, --key. argv: the command, or NULL. */
int netrecord_run(struct live_request *o, const struct recording_config *config, char **argv,
		  struct netrecord_sent *ret_sent, struct errmsg *err);

#endif
