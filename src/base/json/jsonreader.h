/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * jsonreader.h - parses untrusted JSON into a tree of nodes in one array.
 *
 *	struct jsondoc doc;
 *	r = jsondoc_parse(&doc, text, len, 4096, err);
 *	for (n = jsonnode_first(&doc, list); n; n = jsonnode_next(&doc, n)) …
 *	jsondoc_release(&doc);
 *
 * It is bounded: as many nodes as the caller allows, 16 levels. Texts are unescaped in a copy that
 * the document owns, and end with a NUL; \u0000 is refused. Only one thread may use it at a time.
 */
#ifndef SONDE_BASE_JSON_JSONREADER_H
#define SONDE_BASE_JSON_JSONREADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct errmsg;

#define JSONDOC_DEPTH_MAX 16

enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT };

struct jsonnode {
	enum json_kind kind;
	uint32_t first, next; /* child, sibling: index in the array, 0: none */
	const char *key;      /* members of objects, else NULL */
	const char *text;     /* JSON_TEXT */
	double number;	      /* JSON_NUMBER; JSON_BOOL: 0 or 1 */
};

struct jsondoc {
	struct jsonnode *nodes; /* [0] is not used, [1] is the root */
	uint32_t n, max;
	char *text;
};

/*
 * Parses the text. Returns 0, -EINVAL with a message that names the position, or -ENOMEM. After a
 * failure there is nothing to release.
 */
int jsondoc_parse(struct jsondoc *doc, const char *text, size_t len, uint32_t max_nodes,
		  struct errmsg *err);
void jsondoc_release(struct jsondoc *doc);

static inline const struct jsonnode *jsondoc_root(const struct jsondoc *doc)
{
	return &doc->nodes[1];
}

static inline const struct jsonnode *jsonnode_next(const struct jsondoc *doc,
						   const struct jsonnode *n)
{
	return n->next ? &doc->nodes[n->next] : NULL;
}

/* Returns the first child of an array or object, or NULL. n may be NULL. */
static inline const struct jsonnode *jsonnode_first(const struct jsondoc *doc,
						    const struct jsonnode *n)
{
	return n && n->first ? &doc->nodes[n->first] : NULL;
}

/* Returns a member of an object, or NULL. */
const struct jsonnode *jsonnode_find(const struct jsondoc *doc, const struct jsonnode *object,
				     const char *key);

/* Reads a whole number from 0 to max. Returns false if n is something else; n may be NULL. */
bool jsonnode_uint(const struct jsonnode *n, uint64_t max, uint64_t *ret);

#endif
