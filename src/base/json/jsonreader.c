// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * jsonreader.c - parses untrusted JSON into a tree of nodes in one array.
 *
 * It is a recursive-descent parser with limits on levels and nodes, so that the cost of hostile
 * input is proportional to its length. Strings are unescaped in place, in a copy of the text: the
 * result is never longer than the input. An unpaired surrogate becomes U+FFFD.
 *
 *	text:   {"kinds":["a\nb"],"n":3}
 *	nodes:  [1] object, first 2
 *	        [2] array "kinds", first 3, next 4      [3] text "a⏎b"      [4] number "n"
 */
#include "base/json/jsonreader.h"
#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	struct jsondoc *doc;
	char *start, *pos, *end;
	unsigned depth;
	struct errmsg *err;
};

static int fail(struct parse *p, const char *what)
{
	return errmsg_set(p->err, -EINVAL, "not JSON: %s at byte %zu", what,
			  (size_t)(p->pos - p->start));
}

static void skip_blanks(struct parse *p)
{
	while (p->pos < p->end &&
	       (*p->pos == ' ' || *p->pos == '\t' || *p->pos == '\n' || *p->pos == '\r'))
		p->pos++;
}

static bool take(struct parse *p, char c)
{
	skip_blanks(p);
	if (p->pos == p->end || *p->pos != c)
		return false;
	p->pos++;
	return true;
}

static int hex4(const char *s, const char *end)
{
	int v = 0;

	if (end - s < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = s[i] | 0x20, d = c >= '0' && c <= '9'	? c - '0'
					 : c >= 'a' && c <= 'f' ? c - 'a' + 10
								: -1;

		/* | 0x20 also maps control characters to digits */
		if (d < 0 || (d < 10 && s[i] != c))
			return -1;
		v = v << 4 | d;
	}
	return v;
}

static char *emit_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 0x3f);
	} else if (c < 0x10000) {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	} else {
		*to++ = 0xf0 | c >> 18;
		*to++ = 0x80 | (c >> 12 & 0x3f);
		*to++ = 0x80 | (c >> 6 & 0x3f);
		*to++ = 0x80 | (c & 0x3f);
	}
	return to;
}

/*
 * Parses the one or two groups of four digits after \u, and writes the character. Returns NULL if
 * they are invalid.
 */
static char *take_unicode(struct parse *p, char *to)
{
	int v = hex4(p->pos, p->end), low;
	uint32_t c = v;

	if (v <= 0)
		return NULL;
	p->pos += 4;
	if (v >= 0xd800 && v < 0xdc00 && p->end - p->pos >= 6 && p->pos[0] == '\\' &&
	    p->pos[1] == 'u' && (low = hex4(p->pos + 2, p->end)) >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((uint32_t)(v - 0xd800) << 10) + (low - 0xdc00);
		p->pos += 6;
	} else if (v >= 0xd800 && v < 0xe000) {
		c = 0xfffd;
	}
	return emit_utf8(to, c);
}

static char *take_escape(struct parse *p, char *to)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (p->pos == p->end)
		return NULL;
	if (*p->pos == 'u') {
		p->pos++;
		return take_unicode(p, to);
	}
	found = *p->pos ? strchr(from, *p->pos) : NULL;
	if (!found)
		return NULL;
	p->pos++;
	*to = into[found - from];
	return to + 1;
}

/* Parses a string from its opening quote on. */
static int take_text(struct parse *p, const char **ret)
{
	char *to, *begin;

	if (!take(p, '"'))
		return fail(p, "a text was expected");
	begin = to = p->pos;
	while (p->pos < p->end && *p->pos != '"') {
		char c = *p->pos;

		if ((unsigned char)c < 0x20)
			return fail(p, "a control character in a text");
		p->pos++;
		if (c != '\\') {
			*to++ = c;
			continue;
		}
		to = take_escape(p, to);
		if (!to)
			return fail(p, "an unknown escape");
	}
	if (p->pos == p->end)
		return fail(p, "a text without end");
	p->pos++;
	*to = 0; /* never behind the closing quote, because unescaping makes the text shorter */
	*ret = begin;
	return 0;
}

static struct jsonnode *node_new(struct parse *p, uint32_t *ret)
{
	struct jsondoc *doc = p->doc;

	if (doc->n >= doc->max)
		return NULL;
	*ret = doc->n;
	doc->nodes[doc->n] = (struct jsonnode){0};
	return &doc->nodes[doc->n++];
}

static int take_value(struct parse *p, const char *key, uint32_t *ret);

/* Parses the members after the opening bracket. */
static int take_members(struct parse *p, struct jsonnode *parent, char closing)
{
	uint32_t *link = &parent->first;

	if (take(p, closing))
		return 0;
	if (++p->depth > JSONDOC_DEPTH_MAX)
		return fail(p, "too deep");
	do {
		const char *key = NULL;
		uint32_t at;

		if (closing == '}') {
			TRY(take_text(p, &key));
			if (!take(p, ':'))
				return fail(p, "a colon was expected");
		}
		TRY(take_value(p, key, &at));
		*link = at;
		link = &p->doc->nodes[at].next;
	} while (take(p, ','));
	p->depth--;
	return take(p, closing) ? 0 : fail(p, "a comma or the end of a list was expected");
}

/* Parses a number in JSON's form: no leading +, no hex, no names. */
static int take_number(struct parse *p, struct jsonnode *n)
{
	char *stop, *s = p->pos;

	while (s < p->end && ((*s >= '0' && *s <= '9') || strchr("+-.eE", *s)) && *s)
		s++;
	if (s == p->pos || *p->pos == '+' || *p->pos == '.')
		return fail(p, "a value was expected");
	n->kind = JSON_NUMBER;
	n->number = strtod(p->pos, &stop); /* the copy ends with a NUL */
	if (stop != s || n->number - n->number != 0)
		return fail(p, "a bad number");
	p->pos = s;
	return 0;
}

static bool take_word(struct parse *p, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(p->end - p->pos) < len || memcmp(p->pos, word, len))
		return false;
	p->pos += len;
	return true;
}

static int take_value(struct parse *p, const char *key, uint32_t *ret)
{
	struct jsonnode *n = node_new(p, ret);

	if (!n)
		return fail(p, "too many values");
	n->key = key;
	skip_blanks(p);
	if (p->pos == p->end)
		return fail(p, "the end came too early");
	if (*p->pos == '"') {
		n->kind = JSON_TEXT;
		return take_text(p, &n->text);
	}
	if (*p->pos == '[' || *p->pos == '{') {
		n->kind = *p->pos == '[' ? JSON_ARRAY : JSON_OBJECT;
		p->pos++;
		return take_members(p, n, n->kind == JSON_ARRAY ? ']' : '}');
	}
	if (take_word(p, "null"))
		return 0;
	n->kind = JSON_BOOL;
	n->number = *p->pos == 't';
	if (take_word(p, "true") || take_word(p, "false"))
		return 0;
	return take_number(p, n);
}

int jsondoc_parse(struct jsondoc *doc, const char *text, size_t len, uint32_t max_nodes,
		  struct errmsg *err)
{
	struct parse p = {.doc = doc, .err = err};
	uint32_t root;
	int r;

	/* a value takes at least two bytes: itself and a separator */
	if (max_nodes > len / 2 + 2)
		max_nodes = len / 2 + 2;
	*doc = (struct jsondoc){.n = 1, .max = max_nodes + 1};
	doc->text = malloc(len + 1);
	doc->nodes = malloc((max_nodes + 1) * sizeof(*doc->nodes));
	if (!doc->text || !doc->nodes) {
		jsondoc_release(doc);
		return errmsg_set_errno(err, -ENOMEM, "cannot read JSON");
	}
	memcpy(doc->text, text, len);
	doc->text[len] = 0;
	p.start = p.pos = doc->text;
	p.end = doc->text + len;
	r = take_value(&p, NULL, &root);
	skip_blanks(&p);
	if (r >= 0 && p.pos != p.end)
		r = fail(&p, "something follows the value");
	if (r < 0)
		jsondoc_release(doc);
	return r;
}

void jsondoc_release(struct jsondoc *doc)
{
	free(doc->nodes);
	free(doc->text);
	*doc = (struct jsondoc){0};
}

const struct jsonnode *jsonnode_find(const struct jsondoc *doc, const struct jsonnode *object,
				     const char *key)
{
	if (!object || object->kind != JSON_OBJECT)
		return NULL;
	for (const struct jsonnode *n = jsonnode_first(doc, object); n; n = jsonnode_next(doc, n))
		if (!strcmp(n->key, key))
			return n;
	return NULL;
}

bool jsonnode_uint(const struct jsonnode *n, uint64_t max, uint64_t *ret)
{
	/* above 2^53 a double is not exact */
	if (!n || n->kind != JSON_NUMBER || !(n->number >= 0 && n->number <= 9007199254740992.0) ||
	    n->number != (double)(uint64_t)n->number || (uint64_t)n->number > max)
		return false;
	*ret = (uint64_t)n->number;
	return true;
}
