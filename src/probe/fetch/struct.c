// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * struct.c - lists the parts of a struct that are single values, as the user would write them.
 *
 *	struct path          mnt, dentry
 *	std::vector<int>     _M_impl._M_start, …; also v[0]
 *	std::optional<int>   _M_payload._M_payload._M_value, _M_payload._M_engaged
 *	std::string_view     _M_len, _M_str; a probe reads a text only up to its zero byte, so a
 *	                     view is not a text
 *
 * Only names that a probe accepts are listed: each name is evaluated from the beginning as fetch.c
 * does. Names that lead elsewhere (two base classes may have members of one name) or contain a sign
 * (_vptr.Base) are skipped.
 */
#include "probe/fetch/fetch_int.h"

#include "base/textbuf.h"
#include "symbols/types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEAVES_SHOWN 6
#define DEPTH_MAX    4
#define PATH_BYTES   160

struct leaves {
	struct type top;
	char *text;
	size_t size;
	char path[PATH_BYTES];
	unsigned n, depth;
};

/*
 * --- which parts ---------------------------------------------------------------------------------
 */

static bool is_single(enum type_kind kind)
{
	return kind == TYPE_INT || kind == TYPE_ENUM || kind == TYPE_FLOAT || kind == TYPE_POINTER;
}

static bool is_leaf(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	if (f.kind == TYPE_ARRAY) {
		if (!f.n_elements)
			return false;
		type_get(f.target, &f);
		return is_single(f.kind) && f.kind != TYPE_FLOAT;
	}
	return is_single(f.kind) || fetch_is_cpp_string(t);
}

/* Returns true if the written path leads to the wanted type. */
static bool is_found(const struct leaves *l, struct type wanted)
{
	const char *p = l->path;
	struct type t = l->top;
	struct type_facts a, b;
	struct type_member m;

	while (*p) {
		size_t len = strcspn(p, ".");

		if (type_find_member(t, p, len, &m) < 0)
			return false;
		t = m.type;
		p += len + (p[len] == '.');
	}
	type_get(t, &a);
	type_get(wanted, &b);
	return a.kind == b.kind && a.n_bytes == b.n_bytes;
}

static int add_leaf(struct leaves *l)
{
	size_t len = strlen(l->text);

	if (l->n == LEAVES_SHOWN || len + strlen(l->path) + 8 >= l->size) {
		snprintf(l->text + len, l->size - len, ", …");
		return -EEXIST; /* ends the walk */
	}
	snprintf(l->text + len, l->size - len, "%s%s", l->n++ ? ", " : "", l->path);
	return 0;
}

static int visit_member(void *ctx, const struct type_member *m)
{
	struct leaves *l = ctx;
	size_t len = strlen(l->path);
	struct type_facts f;
	int r = 0;

	if (strpbrk(m->name, ".<") || len + strlen(m->name) + 2 > sizeof(l->path))
		return 0;
	snprintf(l->path + len, sizeof(l->path) - len, "%s%s", len ? "." : "", m->name);
	type_get(m->type, &f);
	if (is_leaf(m->type)) {
		r = is_found(l, m->type) ? add_leaf(l) : 0;
	} else if ((f.kind == TYPE_STRUCT || f.kind == TYPE_UNION) && l->depth < DEPTH_MAX) {
		l->depth++;
		r = type_each_member(m->type, visit_member, l);
		l->depth--;
	}
	l->path[len] = 0;
	return r;
}

/* struct.c: lists the parts of a struct that are single values, as "a, b.c". */
static void fetch_list_leaves(struct type t, char *text, size_t size)
{
	struct leaves l = {.top = t, .text = text, .size = size};

	*text = 0;
	type_each_member(t, visit_member, &l);
}

/*
 * --- what else works -----------------------------------------------------------------------------
 */

/*
 * Writes how to access the content of a class that acts as a pointer or an array: "v[0]",
 * "p->MEMBER"; "" for others.
 */
static void fmt_element(struct type t, const char *expr, int len, char *out, size_t size)
{
	struct value v = {.kind = VALUE_MEMORY, .type = t};
	struct type_facts f, own, target;
	bool is_pointer, is_struct;

	*out = 0;
	value_enter_pointer(&v);
	type_get(v.type, &f);
	type_get(t, &own);
	if (f.kind != TYPE_POINTER && f.kind != TYPE_ARRAY)
		return;
	is_pointer = !strncmp(own.name, "unique_ptr", 10) || !strncmp(own.name, "shared_ptr", 10);
	type_get(f.target, &target);
	is_struct = target.kind == TYPE_STRUCT && !fetch_is_cpp_string(f.target);
	snprintf(out, size, "%s%.*s%s", is_pointer && !is_struct ? "*" : "", len, expr,
		 is_pointer && is_struct ? "->MEMBER"
		 : is_pointer		 ? ""
		 : is_struct		 ? "[0].MEMBER"
					 : "[0]");
}

static bool is_view(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return !strncmp(f.name, "basic_string_view", 17) || !strncmp(f.name, "string_view", 11) ||
	       !strcmp(f.name, "&str"); /* the name in Rust */
}

/* Writes the clause. size is at least 100. */
void fetch_fmt_parts(struct type t, const char *expr, int len, char *out, size_t size)
{
	char leaves[300], element[160];

	fetch_list_leaves(t, leaves, size < sizeof(leaves) + 60 ? size - 60 : sizeof(leaves));
	fmt_element(t, expr, len, element, sizeof(element));
	if (is_view(t))
		snprintf(out, size,
			 "it is a pointer and a length, but a probe reads text only up to a "
			 "zero byte; name one of the two: %s",
			 leaves);
	else if (*leaves)
		snprintf(out, size, "name one of its members: %s%s%s%s", leaves,
			 *element ? "; " : "", element, *element ? " works, too" : "");
	else
		snprintf(out, size, *element ? "write %s" : "but none of its members is%s",
			 element);
}
