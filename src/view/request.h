/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - checks, splits and decodes a browser's request. Does no I/O, and is independent of
 * HTTP libraries.
 */
#ifndef SONDE_VIEW_REQUEST_H
#define SONDE_VIEW_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define REQUEST_TOKEN_CHARS 32
#define REQUEST_TARGET_MAX  16384
#define REQUEST_BODY_MAX    (256u << 10)
#define REQUEST_ARGS_MAX    16

/* The conditions for clients that are admitted. */
struct request_gate {
	char token[REQUEST_TOKEN_CHARS + 1];
	uint16_t port;
};

/* The parts of a request as received; NULL: not sent. Texts end with a NUL. */
struct request_head {
	const char *method, *target, *host, *origin, *referer, *site, *mode, *dest;
	bool is_doubtful; /* a header was sent twice */
};

struct request_arg {
	const char *name, *value;
};

struct request {
	bool is_post;
	const char *path; /* path after the token and its slash: "", "app.js", "api/info" */
	struct request_arg args[REQUEST_ARGS_MAX];
	size_t n_args;
	const char *body; /* set by the reader; not ended by a NUL */
	size_t body_len;
	/* Called during long answers. Returns true if the client has disconnected. May be NULL. */
	bool (*is_gone)(void *ctx);
	void *gone_ctx;
	char text[REQUEST_TARGET_MAX + 1]; /* text into which path and args point */
};

/*
 * Parses a request. Returns 0, or the status of the answer: 404 for any request that does not come
 * from our own page, 308 for the token without its slash, 405 for other methods, 400 for a query
 * that cannot be decoded.
 */
int request_parse(struct request *req, const struct request_head *head,
		  const struct request_gate *gate);

/* Returns the value of an argument, or NULL. */
const char *request_arg(const struct request *req, const char *name);
/*
 * Reads a whole number; `missing` if not given. Returns -EINVAL with a message if it is not a
 * number up to max.
 */
int request_uint(const struct request *req, const char *name, uint64_t missing, uint64_t max,
		 uint64_t *ret, struct errmsg *err);

#endif
