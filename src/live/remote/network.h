/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * network.h - runs a session that sends its sub-buffers over the network: record -N and -V, and
 * agent.
 *
 *	netrecord_head       the description of the kernel, as bytes to send first
 *	netrecord_start      starts the recorder, which writes to a descriptor for each CPU
 *	netrecord_stop       stops when all data is written
 *	netrecord_late       names of tasks and statistics, as bytes to send last
 *
 * netrecord_run() does all these steps for `record`.
 */
#ifndef SONDE_LIVE_REMOTE_NETWORK_H
#define SONDE_LIVE_REMOTE_NETWORK_H

#include "capture/record/recording.h"
#include "wire/metadata.h"

struct live_request;
struct textbuf;

struct netrecord;

/* Makes the head of one buffer of the session. *ret_id is its trace id; ret_id may be NULL. */
int netrecord_head(struct session *s, size_t buffer, const struct recording_config *config,
		   int protocol, struct textbuf *out, uint64_t *ret_id, struct errmsg *err);
void netrecord_late(struct session *s, size_t buffer, struct textbuf *out);

struct netrecord_stream {
	size_t buffer;
	unsigned cpu;
	int fd;	       /* still belongs to the caller */
	bool datagram; /* each write is one page */
};

int netrecord_start(struct netrecord **ret, struct session *s,
		    const struct recording_config *config, const struct netrecord_stream *streams,
		    size_t n_streams, struct errmsg *err);
/* Returns a descriptor for session_wait() that is readable when the recording cannot continue. */
int netrecord_fd(const struct netrecord *nr);
/* Stops and frees nr. Returns the first failure of a connection, with a message in err. */
int netrecord_stop(struct netrecord *nr, uint64_t *ret_bytes, struct errmsg *err);

/*
 * Reports a lost connection at once, if there is a command, and not only when the command has
 * ended.
 */
void netrecord_tell_loss(const struct live_request *o, const struct errmsg *why, char **argv);

struct netrecord_sent {
	char host[256], port[32];
	uint64_t n_bytes;
	double seconds;
};

/* Records for -N HOST:PORT, -V CID:PORT, -t, --key. argv is the command, or NULL. */
int netrecord_run(struct live_request *o, const struct recording_config *config, char **argv,
		  struct netrecord_sent *ret_sent, struct errmsg *err);

#endif
