/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * channel.h - a connection for bytes, strings and messages, with time limits.
 *
 * Every wait ends: with data, at the time limit (-ETIMEDOUT), when the peer has disconnected
 * (-ENOTCONN, or the socket's error), or when `stop_fd` becomes readable (-ECANCELED), which is how
 * a signal ends a session. Data that was read ahead is kept, so strings, messages and raw bytes can
 * follow each other in any order. One thread at a time.
 */
#ifndef SONDE_WIRE_CHANNEL_H
#define SONDE_WIRE_CHANNEL_H

#include "format/bytes.h"
#include "wire/message.h"

#include <sys/types.h>

#define CHANNEL_TIMEOUT_MS \
	15000 /* for the next step; trace-cmd uses 5 s, which is too short on a busy machine */

struct channel {
	int fd;	     /* descriptor, owned */
	int stop_fd; /* descriptor, not owned; -1: none */
	int timeout_ms;
	size_t start, end; /* range of bytes that were read, but not taken yet */
	uint8_t buf[MESSAGE_MAX_BYTES];
};

/* Takes ownership of fd. */
void channel_init(struct channel *c, int fd, int stop_fd);
void channel_release(struct channel *c);

/*
 * Waits for data. Returns 1 if there is something to read (or an end, or an error), 0 after the
 * timeout, or -ECANCELED. A timeout of -1 means no limit.
 */
int channel_wait(struct channel *c, int timeout_ms);

/* Reads exactly n bytes. */
int channel_read(struct channel *c, void *data, size_t n);
/*
 * Reads the available bytes, up to n, and waits for the first of them. Returns 0 if the peer closed
 * the connection.
 */
ssize_t channel_read_some(struct channel *c, void *data, size_t n);
/* Reads up to a NUL, which is stored, too. Returns -EMSGSIZE if there is none within n bytes. */
int channel_read_string(struct channel *c, char *text, size_t n);
/*
 * Reads the next message, which is valid until the next call. timeout_ms is as in channel_wait().
 */
int channel_read_message(struct channel *c, struct message *ret_msg, int timeout_ms,
			 struct errmsg *err);

int channel_write(struct channel *c, const void *data, size_t n);
int channel_write_message(struct channel *c, const struct message_out *out, struct errmsg *err);
/* Sends `data` in as many SEND_DATA messages as needed, then FIN_DATA. */
int channel_write_data(struct channel *c, struct piece data, struct errmsg *err);

/* Sets the message for an error of the functions above. */
int channel_refuse(int code, const char *doing, struct errmsg *err);

#endif
