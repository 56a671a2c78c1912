// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * request.c - checks, splits and decodes a browser's request.
 *
 *	/0123456789abcdef0123456789abcdef/api/rows?sel=3&row=100
 *	 ──────────── token ───────────── ── path ─ ── args ────
 *
 * The server listens on loopback, where every program of the machine and every page in the user's
 * browser can connect. A request must pass four checks. If it fails any of them, the answer is the
 * same bare 404, so that an attacker learns nothing:
 *
 *	token     128 random bits, known to the user who started us; compared in constant time
 *	Host      one of our own names, not a foreign name that resolves to 127.0.0.1 (rebinding)
 *	Origin    and Referer, if sent, are ours: no form or script of another page
 *	Sec-Fetch-Site, if sent, names the page itself or the user. Only the page itself may also be
 *	          opened by another one, in its own window: by the redirect file, which browsers
 *	          regard as a foreign site
 *
 * Paths are plain: letters, digits and -_./ as in the table of assets and of requests, never
 * decoded, so each path has only one spelling. Only values of arguments are decoded. The result
 * depends only on the input, and this code is fuzzed.
 */
#include "view/request.h"
#include "base/array.h"
#include "base/errmsg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool token_fits(const char *s, const char *token)
{
	unsigned char diff = 0;

	for (size_t i = 0; i < REQUEST_TOKEN_CHARS; i++) {
		if (!s[i])
			return false;
		diff |= s[i] ^ token[i];
	}
	return !diff;
}

/* Returns the length of our name at s, or 0 if it is not our name. */
static size_t own_host(const char *s, uint16_t port)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t len = snprintf(text, sizeof(text), "%s:%u", names[i], port);

		if (!strncmp(s, text, len) && (!s[len] || s[len] == '/'))
			return len;
		len = strlen(names[i]); /* browsers omit port 80 */
		if (port == 80 && !strncmp(s, text, len) && (!s[len] || s[len] == '/'))
			return len;
	}
	return 0;
}

static bool is_own_origin(const char *s, uint16_t port)
{
	size_t len = strncmp(s, "http://", 7) ? 0 : own_host(s + 7, port);

	return len && !s[7 + len];
}

static bool is_own_address(const char *s, uint16_t port)
{
	return !strncmp(s, "http://", 7) && own_host(s + 7, port);
}

/*
 * Returns true if the request opens the page itself in a window: not in a frame, not by a script,
 * without arguments.
 */
static bool opens_page(const struct request_head *h)
{
	const char *rest = h->target + 1 + REQUEST_TOKEN_CHARS;

	return h->method && !strcmp(h->method, "GET") && (!*rest || !strcmp(rest, "/")) &&
	       h->mode && !strcmp(h->mode, "navigate") && h->dest && !strcmp(h->dest, "document");
}

/* Returns true if the request comes from our page. h->target must contain the token. */
static bool is_from_us(const struct request_head *h, uint16_t port)
{
	size_t len = h->host ? own_host(h->host, port) : 0;

	if (!len || h->host[len])
		return false;
	if (h->origin && !is_own_origin(h->origin, port))
		return false;
	if (h->referer && !is_own_address(h->referer, port))
		return false;
	return !h->site || !strcmp(h->site, "same-origin") || !strcmp(h->site, "none") ||
	       opens_page(h);
}

static bool path_is_plain(const char *s)
{
	for (const char *p = s; *p; p++) {
		bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9');

		if (!word && *p != '-' && *p != '_' && *p != '.' && *p != '/')
			return false;
		if (*p == '.' && p[1] == '.')
			return false;
	}
	return true;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decodes %41 and + in place. Returns false for a bad escape, or one that hides a NUL. */
static bool decode(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int high, low;

		if (*s == '+') {
			*to++ = ' ';
			continue;
		}
		if (*s != '%') {
			*to++ = *s;
			continue;
		}
		high = hex_digit(s[1]);
		low = high < 0 ? -1 : hex_digit(s[2]);
		if (low < 0 || !(high << 4 | low))
			return false;
		*to++ = high << 4 | low;
		s += 2;
	}
	*to = 0;
	return true;
}

static bool take_args(struct request *req, char *query)
{
	while (query && *query) {
		char *next = strchr(query, '&'), *equals;

		if (next)
			*next++ = 0;
		equals = strchr(query, '=');
		if (equals)
			*equals++ = 0;
		if (*query) {
			if (req->n_args == REQUEST_ARGS_MAX || !decode(query) ||
			    (equals && !decode(equals)))
				return false;
			req->args[req->n_args++] =
				(struct request_arg){query, equals ? equals : ""};
		}
		query = next;
	}
	return true;
}

int request_parse(struct request *req, const struct request_head *head,
		  const struct request_gate *gate)
{
	size_t len = head->target ? strlen(head->target) : 0;
	char *query;

	req->n_args = 0;
	req->path = "";
	req->body = NULL;
	req->body_len = 0;
	req->is_gone = NULL;
	if (!len || len > REQUEST_TARGET_MAX || head->is_doubtful || head->target[0] != '/' ||
	    !token_fits(head->target + 1, gate->token) || !is_from_us(head, gate->port))
		return 404;
	if (!head->method || (strcmp(head->method, "GET") && strcmp(head->method, "POST")))
		return 405;
	req->is_post = head->method[0] == 'P';
	memcpy(req->text, head->target, len + 1);
	req->path = req->text + 1 + REQUEST_TOKEN_CHARS;
	if (!*req->path)
		return 308;
	if (*req->path != '/')
		return 404;
	req->path++;
	query = strchr(req->path, '?');
	if (query)
		*query++ = 0;
	if (!path_is_plain(req->path))
		return 404;
	return take_args(req, query) ? 0 : 400;
}

const char *request_arg(const struct request *req, const char *name)
{
	for (size_t i = 0; i < req->n_args; i++)
		if (!strcmp(req->args[i].name, name))
			return req->args[i].value;
	return NULL;
}

int request_uint(const struct request *req, const char *name, uint64_t missing, uint64_t max,
		 uint64_t *ret, struct errmsg *err)
{
	const char *s = request_arg(req, name);
	uint64_t v = 0;

	if (!s) {
		*ret = missing;
		return 0;
	}
	for (const char *p = s; *p; p++) {
		if (*p < '0' || *p > '9' || v > UINT64_MAX / 10 - 1)
			return errmsg_set(err, -EINVAL, "%s must be a whole number, not '%.40s'",
					  name, s);
		v = v * 10 + (*p - '0');
	}
	if (!*s || v > max)
		return errmsg_set(err, -EINVAL, "%s must be at most %llu", name,
				  (unsigned long long)max);
	*ret = v;
	return 0;
}
