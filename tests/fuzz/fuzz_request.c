// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_request.c - anything as a request to the viewer, and as the JSON in its body.
 *
 *	input:  method ⏎ target ⏎ Host ⏎ Origin ⏎ Referer ⏎ Sec-Fetch-Site ⏎ body
 *
 * A line that is "-" was not sent; TOKEN in the target stands for the token. Whatever is let in must
 * have had the token and one of our names, its path must be plain, and its arguments must lie in
 * the request. A body that is JSON is walked through. Whatever may name a lane is read as one.
 */
#include "base/errmsg.h"
#include "base/json/jsonreader.h"
#include "timeline/lanes/lane_int.h"
#include "view/request.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct request_gate gate = {.token = TOKEN, .port = 8080};

/* The next line, for the caller to free; NULL: was not sent. */
static char *take_line(const uint8_t **pos, const uint8_t *end)
{
	const uint8_t *nl = memchr(*pos, '\n', end - *pos);
	size_t len = (nl ? nl : end) - *pos;
	char *line = malloc(len + 1);

	memcpy(line, *pos, len);
	line[len] = 0;
	*pos = nl ? nl + 1 : end;
	if (strcmp(line, "-"))
		return line;
	free(line);
	return NULL;
}

static char *put_token(char *target)
{
	char *at = target ? strstr(target, "TOKEN") : NULL, *with;

	if (!at)
		return target;
	with = malloc(strlen(target) + sizeof(TOKEN));
	memcpy(with, target, at - target);
	memcpy(with + (at - target), TOKEN, sizeof(TOKEN) - 1);
	memcpy(with + (at - target) + sizeof(TOKEN) - 1, at + 5, strlen(at + 5) + 1);
	free(target);
	return with;
}

/* A lane's name is sound or refused with a sentence; what it became ends where it should. */
static void check_lane(const char *text)
{
	struct lane_spec *spec = malloc(sizeof(*spec));
	struct errmsg err = {0};

	memset(spec, 0xee, sizeof(*spec));
	if (lane_spec_parse(spec, text, &err) < 0) {
		if (!err.text[0])
			abort();
	} else if (spec->type > LANE_OF_VCPU) {
		abort();
	}
	free(spec);
}

static void check_taken(const struct request *req, const struct request_head *head)
{
	const char *end = req->text + sizeof(req->text);
	uint64_t v;

	if (strncmp(head->target, "/" TOKEN "/", sizeof(TOKEN) + 1) || !head->host ||
	    !strstr(head->host, ":8080") ||
	    (head->site && strstr(head->site, "cross") && (*req->path || req->is_post)))
		abort();
	if (strstr(req->path, "..") || strchr(req->path, '%') || strchr(req->path, '?'))
		abort();
	for (size_t i = 0; i < req->n_args; i++) {
		struct errmsg err = {0};

		if (req->args[i].name < req->text || req->args[i].name >= end ||
		    strlen(req->args[i].value) > REQUEST_TARGET_MAX)
			abort();
		check_lane(req->args[i].value);
		if (request_uint(req, req->args[i].name, 0, 1000, &v, &err) == 0 ? v > 1000
										 : !err.text[0])
			abort();
	}
}

static size_t count_nodes(const struct jsondoc *doc, const struct jsonnode *n)
{
	size_t sum = 0;

	for (; n; n = jsonnode_next(doc, n)) {
		if (n->text && !memchr(n->text, 0, strlen(n->text) + 1))
			abort(); /* the sanitizer has seen every byte */
		if (n->kind == JSON_TEXT)
			check_lane(n->text);
		sum += 1 + count_nodes(doc, jsonnode_first(doc, n));
	}
	return sum;
}

static void check_body(const uint8_t *body, size_t len)
{
	struct errmsg err = {0};
	struct jsondoc doc;

	if (jsondoc_parse(&doc, (const char *)body, len, 4096, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	if (count_nodes(&doc, jsondoc_root(&doc)) != doc.n - 1)
		abort();
	jsondoc_release(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	const uint8_t *pos = input, *end = input + n;
	struct request *req = malloc(sizeof(*req));
	char *lines[6];
	struct request_head head;

	for (int i = 0; i < 6; i++)
		lines[i] = take_line(&pos, end);
	lines[1] = put_token(lines[1]);
	head = (struct request_head){.method = lines[0],
				     .target = lines[1],
				     .host = lines[2],
				     .origin = lines[3],
				     .referer = lines[4],
				     .site = lines[5],
				     .mode = "navigate",
				     .dest = "document"};
	if (request_parse(req, &head, &gate) == 0)
		check_taken(req, &head);
	check_body(pos, end - pos);
	for (int i = 0; i < 6; i++)
		free(lines[i]);
	free(req);
	return 0;
}
