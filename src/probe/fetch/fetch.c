// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch.c - finds the bytes that an expression reads.
 *
 * The kernel's probes know registers, fixed addresses and "+OFFSET(ADDRESS)", which reads memory.
 * C's members, arrows and indexes become offsets; only following a pointer reads memory:
 *
 *	file                          %di                  a value
 *	file->f_path                  at %di + 64          memory: not read yet
 *	file->f_path.dentry           at %di + 72          still the same memory
 *	file->f_path.dentry->d_name   at +72(%di) + 32     the pointer was read
 *
 * The kernel cannot add: an address such as &file->f_path can be followed (the offsets are added
 * here) but not recorded, unless the offset is 0. container_of() is only a negative offset.
 *
 * If a pointer is tagged as one into the program, the memory to which it points is read with "+u".
 * All pointers found there point into the program, too.
 */
#include "base/array.h"
#include "base/scope.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "probe/fetch/fetch_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * --- values --------------------------------------------------------------------------------------
 */

void value_fmt(const struct value *v, char *out, size_t size)
{
	char sign = v->addend < 0 ? '-' : '+';
	unsigned long long n = v->addend < 0 ? -(uint64_t)v->addend : v->addend;

	if (v->kind == VALUE_MEMORY)
		snprintf(out, size, "%c%s%llu(%s)", sign, v->is_user ? "u" : "", n, v->expr);
	else if (v->kind == VALUE_FIXED && v->addend && !strncmp(v->expr, "@+", 2))
		snprintf(out, size, "@+%llu", strtoull(v->expr + 2, NULL, 0) + v->addend);
	else if (v->kind == VALUE_FIXED && v->addend && !strncmp(v->expr, "@0x", 3))
		snprintf(out, size, "@0x%llx", strtoull(v->expr + 1, NULL, 0) + v->addend);
	else if (v->kind == VALUE_FIXED && v->addend)
		snprintf(out, size, "%s%c%llu", v->expr, sign, n);
	else
		snprintf(out, size, "%s", v->expr);
}

void value_load(struct value *v)
{
	char text[EXPR_MAX_BYTES + 32];

	if (v->kind != VALUE_MEMORY && v->kind != VALUE_FIXED)
		return;
	value_fmt(v, text, sizeof(text));
	/* a text that does not fit is far beyond the kernel's limit, which refuses it later */
	snprintf(v->expr, sizeof(v->expr), "%.*s", (int)sizeof(v->expr) - 1, text);
	v->kind = VALUE_PLAIN;
	v->addend = 0;
}

void value_follow(const struct fetch_place *p, struct value *v, bool is_user, struct type target)
{
	value_load(v);
	v->kind = VALUE_MEMORY;
	v->is_user = !p->is_program && p->kernel->user_strings && (v->is_user || is_user);
	v->type = target;
	v->bit = v->n_bits = 0;
}

static void fmt_type(struct type t, char *out, size_t size)
{
	SCOPED(textbuf_release) struct textbuf tb = {.max_bytes = size};

	type_fmt(t, &tb);
	snprintf(out, size, "%.*s", (int)textbuf_len(&tb), tb.start ? tb.start : "");
}

/*
 * --- steps ---------------------------------------------------------------------------------------
 */

static int eval(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err);

static int add_member_spelling(void *ctx, const struct type_member *m)
{
	spelling_add(ctx, m->name);
	return 0;
}

/* The first members as "a, b, c, …". */
struct member_names {
	char *text;
	size_t size;
	unsigned n;
};

static int list_member(void *ctx, const struct type_member *m)
{
	struct member_names *l = ctx;
	size_t len = strlen(l->text);

	if (l->n == 6 || len + strlen(m->name) + 8 >= l->size) {
		snprintf(l->text + len, l->size - len, ", …");
		return -EEXIST; /* ends the walk */
	}
	snprintf(l->text + len, l->size - len, "%s%s", l->n++ ? ", " : "", m->name);
	return 0;
}

/* Lists the first members of a struct: "a, b, c, …". */
static void fetch_list_members(struct type t, char *text, size_t size)
{
	struct member_names l = {text, size};

	*text = 0;
	type_each_member(t, list_member, &l);
}

/* A search for a member of that name in members that are structs. */
struct inner_search {
	const char *name;
	const char *in; /* NULL: not found */
};

static int find_inner(void *ctx, const struct type_member *m)
{
	struct inner_search *s = ctx;
	struct type_member found;

	if (type_find_member(m->type, s->name, strlen(s->name), &found) < 0)
		return 0;
	s->in = m->name;
	return -EEXIST; /* ends the walk */
}

/* Writes a clause that names where the wanted member is, or "". */
static void find_elsewhere(struct type t, struct type outer, const char *name, char *out,
			   size_t size)
{
	struct inner_search inner = {name};
	struct type_member m;
	struct spelling sp;
	char text[160];

	*out = 0;
	type_each_member(t, find_inner, &inner);
	spelling_init(&sp, name, strlen(name));
	type_each_member(t, add_member_spelling, &sp);
	if (inner.in)
		snprintf(out, size, "; it is in %s: write %s.%s", inner.in, inner.in, name);
	else if (outer.world && !type_find_member(outer, name, strlen(name), &m)) {
		fmt_type(outer, text, sizeof(text));
		snprintf(out, size, "; %s itself has one", text);
	} else if (sp.nearest) {
		snprintf(out, size, "; the nearest is %s", sp.nearest);
	} else {
		fetch_list_members(t, text, sizeof(text));
		snprintf(out, size, *text ? "; it has %s" : "; it has none", text);
	}
}

static int refuse_member(const struct fetch_place *p, struct type t, struct type outer,
			 const char *name, struct span span, struct errmsg *err)
{
	char text[120], elsewhere[200];
	struct type_facts f;

	fmt_type(t, text, sizeof(text));
	type_get(t, &f);
	if (f.kind == TYPE_UNKNOWN)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "the members of %s are unknown here: it is only declared; "
				    "cast it to a known type: ((struct NAME *)x)->%s",
				    text, name);
	if (f.kind == TYPE_VOID)
		return FETCH_REFUSE(p, err, span, -ENOENT,
				    "the type behind a void * is unknown, so it has no member "
				    "'%s'; cast it: ((struct NAME *)x)->%s",
				    name, name);
	find_elsewhere(t, outer, name, elsewhere, sizeof(elsewhere));
	return FETCH_REFUSE(p, err, span, -ENOENT, "there is no member '%s' in %s%s", name, text,
			    elsewhere);
}

void value_step_into(struct value *v, const struct type_member *m)
{
	uint64_t bits = v->bit + m->bit_offset;

	v->outer = v->type;
	v->type = m->type;
	v->n_bits = m->n_bits;
	if (v->kind == VALUE_PARTS) {
		v->bit = bits;
		return;
	}
	v->addend += bits / 8;
	v->bit = bits % 8;
}

static int take_member(const struct fetch_place *p, const char *name, struct span span,
		       struct value *v, struct errmsg *err)
{
	struct type_member m;

	if (type_find_member(v->type, name, strlen(name), &m) < 0)
		return refuse_member(p, v->type, v->outer, name, span, err);
	value_step_into(v, &m);
	return 0;
}

/* Enters a reference, which is used like the object itself. */
static void enter_reference(const struct fetch_place *p, struct value *v)
{
	struct type_facts f;

	type_get(v->type, &f);
	if (f.kind == TYPE_POINTER && f.is_reference)
		value_follow(p, v, f.is_user, f.target);
}

static const char *source(const struct fetch_place *p, const struct expression *e)
{
	return p->definition->text + e->span.at;
}

/* Refuses a member of a value without a type: a register, $arg2 without a prototype. */
static int refuse_untyped(const struct fetch_place *p, const struct expression *e,
			  struct errmsg *err)
{
	return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
			    "the type of %.*s is unknown; cast it: ((struct NAME *)%.*s)->%s",
			    (int)e->left->span.len, source(p, e->left), (int)e->left->span.len,
			    source(p, e->left), e->text ? e->text : "…");
}

static bool is_compound(const struct type_facts *f)
{
	return f->kind == TYPE_STRUCT || f->kind == TYPE_UNION || f->kind == TYPE_UNKNOWN;
}

static int eval_member(const struct fetch_place *p, const struct expression *e, struct value *v,
		       struct errmsg *err)
{
	struct type_facts f;

	enter_reference(p, v);
	type_get(v->type, &f);
	if (!v->type.world)
		return refuse_untyped(p, e, err);
	if (f.kind == TYPE_POINTER)
		return FETCH_REFUSE(p, err, e->word, -EINVAL, "%.*s is a pointer: write %.*s->%s",
				    (int)e->left->span.len, source(p, e->left),
				    (int)e->left->span.len, source(p, e->left), e->text);
	if (!is_compound(&f)) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%.*s is %s and has no members; omit .%s",
				    (int)e->left->span.len, source(p, e->left), text, e->text);
	}
	return take_member(p, e->text, e->word, v, err);
}

static int eval_arrow(const struct fetch_place *p, const struct expression *e, struct value *v,
		      struct errmsg *err)
{
	struct type_facts f;

	if (!v->type.world)
		return refuse_untyped(p, e, err);
	enter_reference(p, v);
	value_enter_pointer(v);
	type_get(v->type, &f);
	if (is_compound(&f))
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%.*s is not a pointer: write %.*s.%s", (int)e->left->span.len,
				    source(p, e->left), (int)e->left->span.len, source(p, e->left),
				    e->text);
	if (f.kind == TYPE_ARRAY) {
		v->type = f.target; /* the address of an array is that of its first element */
		return take_member(p, e->text, e->word, v, err);
	}
	if (f.kind != TYPE_POINTER) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "%.*s is %s, not a pointer; cast it: ((struct NAME "
				    "*)%.*s)->%s",
				    (int)e->left->span.len, source(p, e->left), text,
				    (int)e->left->span.len, source(p, e->left), e->text);
	}
	value_follow(p, v, f.is_user, f.target);
	return take_member(p, e->text, e->word, v, err);
}

/* Takes the element of an array, or of the memory to which a pointer points. */
static int take_element(const struct fetch_place *p, const struct expression *e, int64_t index,
			struct value *v, struct errmsg *err)
{
	struct type_facts f, element;

	enter_reference(p, v);
	value_enter_pointer(v);
	type_get(v->type, &f);
	if (f.kind != TYPE_ARRAY && f.kind != TYPE_POINTER) {
		char text[120];

		fmt_type(v->type, text, sizeof(text));
		return FETCH_REFUSE(
			p, err, e->left->span, -EINVAL,
			"%.*s is %s, neither an array nor a pointer; omit the * or the index, "
			"or cast it: (int *)x",
			(int)e->left->span.len, source(p, e->left),
			v->type.world ? text : "of an unknown type");
	}
	type_get(f.target, &element);
	if (index && !element.n_bytes)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "the size of an element of %.*s is unknown; cast it first",
				    (int)e->left->span.len, source(p, e->left));
	if (f.kind == TYPE_ARRAY && f.n_elements && (uint64_t)index >= f.n_elements)
		return FETCH_REFUSE(
			p, err, e->word, -ERANGE, "%.*s has %llu elements: the last is [%llu]",
			(int)e->left->span.len, source(p, e->left),
			(unsigned long long)f.n_elements, (unsigned long long)f.n_elements - 1);
	if (f.kind == TYPE_POINTER)
		value_follow(p, v, f.is_user, f.target);
	v->type = f.target;
	if (v->kind == VALUE_PARTS)
		v->bit += 8 * index * element.n_bytes;
	else
		v->addend += index * (int64_t)element.n_bytes;
	return 0;
}

static int eval_address_of(const struct fetch_place *p, const struct expression *e, struct value *v,
			   struct errmsg *err)
{
	if (v->kind == VALUE_FIXED && !v->n_bits)
		return FETCH_REFUSE(p, err, e->span, -EOPNOTSUPP,
				    "a probe can read a fixed address, but cannot record the "
				    "address itself%s; record the value of %.*s, or of a "
				    "pointer to it",
				    p->is_program ? ", which differs from run to run" : "",
				    (int)e->left->span.len, source(p, e->left));
	if (v->kind != VALUE_MEMORY || v->n_bits)
		return FETCH_REFUSE(p, err, e->span, -EINVAL,
				    "%.*s has no address here: it is %s; record its value instead",
				    (int)e->left->span.len, source(p, e->left),
				    v->n_bits ? "a bit field"
					      : "not in memory that a pointer points to");
	v->kind = VALUE_PLAIN;
	v->type = v->type.world ? type_pointer_to(v->type) : v->type;
	return 0;
}

static int parse_type(const struct fetch_place *p, const char *text, struct span span,
		      struct type *ret, struct errmsg *err)
{
	const struct types *types = p->scope ? p->scope->types : p->types;
	int r = types ? types_parse(types, text, strlen(text), ret) : -ENODATA;
	char nearest[160];

	if (r == -ENODATA)
		return FETCH_REFUSE(p, err, span, r, "types are unknown here: %s",
				    p->why_none ? p->why_none : "there is no debug information");
	if (r == -ENOENT && types_nearest(types, text, strlen(text), nearest, sizeof(nearest)))
		return FETCH_REFUSE(p, err, span, r,
				    "there is no type '%s' in the debug information; the nearest "
				    "is %s",
				    text, nearest);
	if (r < 0)
		return FETCH_REFUSE(
			p, err, span, r,
			r == -ENOENT
				? "there is no type '%s' in the debug information; write it as "
				  "the source does"
				: "'%s' is not written as a type of C, as in struct kvm * or u64",
			text);
	return 0;
}

static bool is_number(const struct type_facts *f)
{
	return f->kind == TYPE_INT || f->kind == TYPE_ENUM || f->kind == TYPE_POINTER;
}

static int eval_cast(const struct fetch_place *p, const struct expression *e, struct value *v,
		     struct errmsg *err)
{
	struct type_facts to, from;
	struct type t;

	TRY(parse_type(p, e->text, e->word, &t, err));
	type_get(t, &to);
	type_get(v->type, &from);
	if (!is_number(&to))
		return FETCH_REFUSE(p, err, e->word, -EINVAL,
				    "cannot cast to %s, only to numbers and pointers; did you "
				    "mean (%s *)?",
				    e->text, e->text);
	if (from.kind == TYPE_ARRAY && v->kind == VALUE_MEMORY)
		v->kind = VALUE_PLAIN; /* the address of the struct */
	else if (from.kind == TYPE_STRUCT || from.kind == TYPE_UNION)
		return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
				    "a struct cannot be cast; name a member of it");
	else if (to.n_bytes > from.n_bytes && from.n_bytes)
		return 0; /* the member is wider: read only the available bytes */
	v->type = t;
	return 0;
}

/* Finds the offset of a member for container_of(). "a.b" is a member of a member. */
static int find_path(const struct fetch_place *p, struct type t, const char *path, struct span span,
		     uint64_t *ret_bytes, struct errmsg *err)
{
	uint64_t bits = 0;

	while (*path) {
		size_t len = strcspn(path, ".");
		struct type_member m;
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		if (type_find_member(t, path, len, &m) < 0)
			return refuse_member(p, t, (struct type){0}, name, span, err);
		bits += m.bit_offset;
		t = m.type;
		path += len + (path[len] == '.');
	}
	*ret_bytes = bits / 8;
	return 0;
}

static int eval_container(const struct fetch_place *p, const struct expression *e, struct value *v,
			  struct errmsg *err)
{
	struct type_facts f;
	uint64_t offset = 0;
	struct type t;

	TRY(parse_type(p, e->text, e->word, &t, err));
	TRY(find_path(p, t, e->member, e->member_span, &offset, err));
	type_get(v->type, &f);
	if (v->type.world && f.kind != TYPE_POINTER && f.kind != TYPE_INT)
		return FETCH_REFUSE(p, err, e->left->span, -EINVAL,
				    "container_of() needs a pointer; write &%.*s",
				    (int)e->left->span.len, source(p, e->left));
	value_load(v);
	v->addend -= (int64_t)offset;
	v->type = type_pointer_to(t);
	v->is_user = false;
	return 0;
}

static int eval_load(const struct fetch_place *p, const struct expression *e, struct value *v)
{
	value_load(v);
	v->kind = VALUE_MEMORY;
	v->addend += e->number;
	v->is_user = e->is_user;
	v->type = (struct type){0};
	v->bit = v->n_bits = 0;
	return 0;
}

static int eval_step(const struct fetch_place *p, const struct expression *e, struct value *v,
		     struct errmsg *err)
{
	TRY(eval(p, e->left, v, err));
	switch (e->kind) {
	case EXPRESSION_MEMBER:
		return eval_member(p, e, v, err);
	case EXPRESSION_ARROW:
		return eval_arrow(p, e, v, err);
	case EXPRESSION_INDEX:
		return take_element(p, e, e->number, v, err);
	case EXPRESSION_DEREF:
		return take_element(p, e, 0, v, err);
	case EXPRESSION_ADDRESS_OF:
		return eval_address_of(p, e, v, err);
	case EXPRESSION_CAST:
		return eval_cast(p, e, v, err);
	case EXPRESSION_CONTAINER:
		return eval_container(p, e, v, err);
	default:
		return eval_load(p, e, v);
	}
}

static int eval(const struct fetch_place *p, const struct expression *e, struct value *v,
		struct errmsg *err)
{
	*v = (struct value){0};
	if (e->left)
		return eval_step(p, e, v, err);
	return fetch_start(p, e, v, err);
}

/*
 * --- the doors -----------------------------------------------------------------------------------
 */

int fetch_resolve(const struct fetch_place *p, const struct definition_arg *arg,
		  struct fetch *ret_fetch, struct errmsg *err)
{
	struct value v;

	TRY(eval(p, arg->value, &v, err));
	v.is_at_user = arg->is_user && !p->is_program && p->kernel->user_strings;
	return fetch_finish(p, &v, arg->type, arg->span, arg->type_span, ret_fetch, err);
}

int fetch_variable(const struct fetch_place *p, const struct variable *var, struct span span,
		   struct fetch *ret_fetch, struct errmsg *err)
{
	struct value v;

	TRY(fetch_use_place(p, var, span, &v, err));
	return fetch_finish(p, &v, NULL, span, span, ret_fetch, err);
}

static void fetch_name_number(char name[FETCH_NAME_BYTES], const char *stem, int64_t number)
{
	if (number < 0)
		snprintf(name, FETCH_NAME_BYTES, "%s", stem);
	else
		snprintf(name, FETCH_NAME_BYTES, "%s%lld", stem, (long long)number);
}

void fetch_name(const struct expression *e, char name[FETCH_NAME_BYTES])
{
	static const char *const words[] = {
		[EXPRESSION_RESULT] = "ret",	    [EXPRESSION_COMM] = "comm",
		[EXPRESSION_ADDRESS] = "at",	    [EXPRESSION_FILE_AT] = "at",
		[EXPRESSION_NUMBER] = "number",	    [EXPRESSION_TEXT] = "text",
		[EXPRESSION_VARS] = "vars",	    [EXPRESSION_PARAMS] = "params",
		[EXPRESSION_DURATION] = "duration",
	};
	const char *text = e->text;

	while (e->left && e->kind != EXPRESSION_MEMBER && e->kind != EXPRESSION_ARROW) {
		e = e->left;
		text = e->text;
	}
	if (e->kind < ARRAY_LEN(words) && words[e->kind])
		fetch_name_number(name, words[e->kind], -1);
	else if (e->kind == EXPRESSION_ARGUMENT || e->kind == EXPRESSION_STACK)
		fetch_name_number(name, e->kind == EXPRESSION_STACK ? "stack" : "arg", e->number);
	else
		snprintf(name, FETCH_NAME_BYTES, "%s", text ? text : "value");
	for (char *c = name; *c; c++) /* C++: ns::x; symbols: x.0 */
		if (*c == ':' || *c == '.' || *c == '$')
			*c = '_';
}
