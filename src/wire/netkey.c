// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netkey.c - implements challenge and response with HMAC-SHA-256; netkey.h shows the exchange.
 *
 * The names "client" and "server" are part of the signed data, so an answer cannot be replayed to
 * its sender. Both nonces are part of it, too, so it cannot be replayed later. The secret of a
 * session is HMAC(key, "session" server-nonce client-nonce), the token of a CPU HMAC(session,
 * "data" be32 cpu).
 */
#include "wire/netkey.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define NONCE_BYTES 32

int netkey_open(struct netkey *ret_key, const char *path, struct errmsg *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t text[NETKEY_MAX_BYTES + 1];
	struct sha256 sum;
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return errmsg_set_errno(err, -errno, "cannot read the key %s", path);
	n = fstat(fd, &st) < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, text, sizeof(text)));
	close(fd);
	if (n < 0)
		return errmsg_set_errno(err, -errno, "cannot read the key %s", path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return errmsg_set(err, -EPERM,
				  "other users can read the key %s: restrict it with chmod 600",
				  path);
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (n < NETKEY_MIN_BYTES || n > NETKEY_MAX_BYTES)
		return errmsg_set(err, -EBADMSG,
				  "the key %s must have %d to %d bytes: make one with "
				  "'head -c 32 /dev/urandom | base64'",
				  path, NETKEY_MIN_BYTES, NETKEY_MAX_BYTES);
	sha256_init(&sum);
	sha256_add(&sum, text, n);
	sha256_finish(&sum, ret_key->secret);
	explicit_bzero(text, sizeof(text));
	return 0;
}

static void sign(const uint8_t secret[SHA256_BYTES], const char *who, const uint8_t *first,
		 const uint8_t *second, uint8_t digest[SHA256_BYTES])
{
	struct hmac h;

	hmac_init(&h, secret, SHA256_BYTES);
	hmac_add(&h, who, strlen(who) + 1);
	hmac_add(&h, first, NONCE_BYTES);
	hmac_add(&h, second, NONCE_BYTES);
	hmac_finish(&h, digest);
}

static int make_nonce(uint8_t nonce[NONCE_BYTES], struct errmsg *err)
{
	if (getrandom(nonce, NONCE_BYTES, 0) == NONCE_BYTES)
		return 0;
	return errmsg_set_errno(err, -EIO, "the kernel has no random numbers");
}

int netkey_ask(const struct netkey *key, struct channel *c, struct netkey_session *ret_session,
	       struct errmsg *err)
{
	uint8_t hello[NETKEY_HELLO_BYTES + NONCE_BYTES], answer[NONCE_BYTES + SHA256_BYTES];
	uint8_t right[SHA256_BYTES], *mine = hello + NETKEY_HELLO_BYTES, *theirs = answer;
	int r;

	TRY(make_nonce(mine, err));
	memcpy(hello, NETKEY_HELLO, NETKEY_HELLO_BYTES);
	r = channel_write(c, hello, sizeof(hello));
	r = r < 0 ? r : channel_read(c, answer, sizeof(answer));
	if (r < 0)
		return channel_refuse(r, "ask for the key", err);
	sign(key->secret, "client", mine, theirs, right);
	if (!digest_is_same(right, answer + NONCE_BYTES))
		return errmsg_set(err, -EACCES, "the other side does not have the key");
	sign(key->secret, "session", mine, theirs, ret_session->secret);
	sign(key->secret, "server", theirs, mine, right);
	r = channel_write(c, right, sizeof(right));
	return r < 0 ? channel_refuse(r, "show the key", err) : 0;
}

static int trade_proofs(const struct netkey *key, struct channel *c, uint8_t theirs[NONCE_BYTES],
			uint8_t answer[NONCE_BYTES + SHA256_BYTES], uint8_t proof[SHA256_BYTES])
{
	TRY(channel_read(c, theirs, NONCE_BYTES));
	sign(key->secret, "client", theirs, answer, answer + NONCE_BYTES);
	TRY(channel_write(c, answer, NONCE_BYTES + SHA256_BYTES));
	return channel_read(c, proof, SHA256_BYTES);
}

int netkey_answer(const struct netkey *key, struct channel *c, struct netkey_session *ret_session,
		  struct errmsg *err)
{
	uint8_t theirs[NONCE_BYTES], answer[NONCE_BYTES + SHA256_BYTES], *mine = answer;
	uint8_t right[SHA256_BYTES], proof[SHA256_BYTES];
	int r;

	TRY(make_nonce(mine, err));
	r = trade_proofs(key, c, theirs, answer, proof);
	if (r == -ENOTCONN || r == -ECONNRESET || r == -EPIPE)
		return errmsg_set(err, -EACCES,
				  "the other side does not accept our key: both need the same "
				  "one");
	if (r < 0)
		return channel_refuse(r, "show the key", err);
	sign(key->secret, "server", mine, theirs, right);
	if (!digest_is_same(right, proof))
		return errmsg_set(err, -EACCES, "the other side does not have the key");
	sign(key->secret, "session", theirs, mine, ret_session->secret);
	return 0;
}

void netkey_make_token(const struct netkey_session *s, uint32_t cpu, uint8_t token[SHA256_BYTES])
{
	uint8_t number[4] = {cpu >> 24, cpu >> 16, cpu >> 8, cpu};
	struct hmac h;

	hmac_init(&h, s->secret, sizeof(s->secret));
	hmac_add(&h, "data", 5);
	hmac_add(&h, number, 4);
	hmac_finish(&h, token);
}
