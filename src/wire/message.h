/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - parses and makes the messages of trace-cmd's network protocol, version 3.
 *
 *	be32 size of all   be32 command   be32 size of the fixed part   fixed part   body
 *
 * It does no I/O: message_parse() parses the available bytes, the message_make_*() functions
 * fill a `struct message_out`. Parsed data points into the caller's bytes. Lengths are checked
 * before anything is read. A fixed part may be longer than we know it (a newer peer), never
 * shorter. Thread-safe.
 */
#ifndef SONDE_WIRE_MESSAGE_H
#define SONDE_WIRE_MESSAGE_H

#include "format/bytes.h"

struct errmsg;

#define MESSAGE_MAX_BYTES  8192
#define MESSAGE_HEAD_BYTES 12
#define MESSAGE_DATA_BYTES (MESSAGE_MAX_BYTES - MESSAGE_HEAD_BYTES)

enum message_cmd {
	MESSAGE_CLOSE,
	MESSAGE_TINIT,
	MESSAGE_RINIT,
	MESSAGE_SEND_DATA,
	MESSAGE_FIN_DATA,
	MESSAGE_NOT_SUPP,
	MESSAGE_TRACE_REQ,
	MESSAGE_TRACE_RESP,
	MESSAGE_CLOSE_RESP,
	MESSAGE_TIME_SYNC,
	MESSAGE_TRACE_PROXY,
	MESSAGE_CONT,
	MESSAGE_COMMANDS,
};

struct message {
	uint32_t cmd; /* below MESSAGE_COMMANDS */
	struct piece fixed, body;
};

/*
 * Parses the message at the beginning of `bytes`. Returns its size, 0 if more bytes are needed, or
 * -EBADMSG with a message.
 */
int message_parse(struct piece bytes, struct message *ret_msg, struct errmsg *err);
/* Returns "TINIT" and so on, for messages; "?" if unknown. */
const char *message_name(uint32_t cmd);

/*
 * --- parsing: each returns -EBADMSG with a message for inconsistent data ------------------------
 */

#define MESSAGE_CPUS_MAX 1024 /* limit: the ports of more CPUs would not fit into a message */
#define MESSAGE_PAGE_MIN 64
#define MESSAGE_PAGE_MAX (1u << 20)

/* TINIT: the data that a recorder will send. */
struct message_tinit {
	uint32_t n_cpus, page_size;
	bool tcp, vsock; /* neither: UDP */
	bool sonde;	 /* the peer is sonde: it may send late metadata */
};
int message_take_tinit(const struct message *m, struct message_tinit *ret, struct errmsg *err);

/* RINIT and TRACE_RESP: the ports. */
struct message_ports {
	uint32_t n_cpus;
	uint32_t ports[MESSAGE_CPUS_MAX];
	bool sonde;
};
int message_take_rinit(const struct message *m, struct message_ports *ret, struct errmsg *err);

#define MESSAGE_PROTO_BYTES 16
#define MESSAGE_ARGS_MAX    1024
#define MESSAGE_PROTOS_MAX  8

/* TRACE_REQ and TRACE_PROXY: what an agent shall record. */
struct message_request {
	bool fifos;
	uint64_t trace_id; /* trace id of the requester */
	uint32_t n_args;
	const char *args[MESSAGE_ARGS_MAX];
	uint32_t n_protos; /* number of time sync protocols that the requester supports */
	const char *protos[MESSAGE_PROTOS_MAX];
	uint32_t n_cpus, n_siblings; /* only in TRACE_PROXY */
	/* the requester accepts late metadata, and reasons of a refusal */
	bool sonde;
};
int message_take_request(const struct message *m, struct message_request *ret, struct errmsg *err);

/* TRACE_RESP: where the requester can fetch the data. */
struct message_response {
	bool fifos;
	uint32_t page_size;
	uint64_t trace_id; /* trace id of the agent */
	char proto[MESSAGE_PROTO_BYTES + 1];
	uint32_t sync_port;
	struct message_ports ports;
};
int message_take_response(const struct message *m, struct message_response *ret,
			  struct errmsg *err);

/* TIME_SYNC: a step of a protocol, see timesync.h. */
struct message_sync {
	char proto[MESSAGE_PROTO_BYTES + 1];
	uint32_t id;
	struct piece payload;
};
int message_take_sync(const struct message *m, struct message_sync *ret, struct errmsg *err);

/* NOT_SUPP: takes the reason, if the peer is sonde, and makes it printable; else "". */
void message_take_refusal(const struct message *m, char *text, size_t n_bytes);

/*
 * --- making them -------------------------------------------------------------------------------
 */

struct message_out {
	size_t len;
	bool overflow; /* the message did not fit: do not send it */
	uint8_t bytes[MESSAGE_MAX_BYTES];
};

/* Makes a message without contents: CLOSE, FIN_DATA, NOT_SUPP, CLOSE_RESP, CONT. */
void message_make(struct message_out *out, enum message_cmd cmd);
/* Makes NOT_SUPP with the reason, which trace-cmd ignores. */
void message_make_refusal(struct message_out *out, const char *why);
/* data.len <= MESSAGE_DATA_BYTES */
void message_make_data(struct message_out *out, struct piece data);
void message_make_tinit(struct message_out *out, const struct message_tinit *t);
void message_make_rinit(struct message_out *out, const struct message_ports *p);
void message_make_request(struct message_out *out, const struct message_request *q);
void message_make_response(struct message_out *out, const struct message_response *p);
void message_make_sync(struct message_out *out, const char *proto, uint32_t id,
		       struct piece payload);

#endif
