/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * netkey.h - proves that both sides know a key, without sending it.
 *
 * Both sides must be sonde. The side that accepted the connection asks first; the other side proves
 * that it has the key, and gets the same proof:
 *
 *	server ─▶ "sondekey" 1 nonce[32]
 *	client ─▶ nonce[32] HMAC(key, "client" server-nonce client-nonce)[32]
 *	server ─▶ HMAC(key, "server" client-nonce server-nonce)[32]
 *
 * A wrong answer ends the connection at once, and reveals nothing else. Each connection for data
 * begins with a token that only the two sides of this session can make. The data is neither
 * encrypted nor signed: an attacker who can change packets can change the trace.
 */
#ifndef SONDE_WIRE_NETKEY_H
#define SONDE_WIRE_NETKEY_H

#include "base/sha256.h"

struct channel;
struct errmsg;

#define NETKEY_HELLO	   "sondekey\1"
#define NETKEY_HELLO_BYTES 9
#define NETKEY_MIN_BYTES   16
#define NETKEY_MAX_BYTES   4096

struct netkey {
	uint8_t secret[SHA256_BYTES]; /* SHA-256 of the file */
};

struct netkey_session {
	uint8_t secret[SHA256_BYTES];
};

/*
 * Reads a key. Returns -EPERM if other users can read the file, -EBADMSG if it is too short or too
 * long.
 */
int netkey_open(struct netkey *ret_key, const char *path, struct errmsg *err);

/* Both functions return 0, or -EACCES (wrong key), -EPROTO … with a message. */
int netkey_ask(const struct netkey *key, struct channel *c, struct netkey_session *ret_session,
	       struct errmsg *err);
/* Answers a challenge. Call it after reading NETKEY_HELLO. */
int netkey_answer(const struct netkey *key, struct channel *c, struct netkey_session *ret_session,
		  struct errmsg *err);

#define NETKEY_SYNC_CPU UINT32_MAX /* for the connection of the time sync */

/* Makes the first bytes of the data connection of this CPU. */
void netkey_make_token(const struct netkey_session *s, uint32_t cpu, uint8_t token[SHA256_BYTES]);

#endif
