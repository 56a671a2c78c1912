// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * valueplain.c - values in uftrace's forms, for recordings that become a uftrace.data directory.
 *
 *	int f(char *name, double x, struct point p)     arg1/s,fparg1/64,arg2/t8:point = retval
 *
 * The text of a value must lead back to its bytes. So a number is recorded without its sign, an
 * enum as a number, a reference as an address, and of a struct only that it was there. The forms
 * (spec) go into the file's option beside the function.
 *
 * All rules that name a function count, a later one for the same value instead of the older. Types
 * (--args) count where no rule does.
 */
#include "base/array.h"
#include "base/textbuf.h"
#include "capture/user/values_int.h"
#include "symbols/types.h"

#include <stdio.h>
#include <string.h>

#define EMPTY_DEPTH_MAX 16 /* base classes of an empty class */

/* A value as uftrace would record it: want.format is never 0. */
struct plain {
	struct want want;
	struct where where;
	uint64_t n_struct; /* bytes of a struct */
	bool is_small;	   /* a number of at most 32 bits */
};

struct plain_list {
	struct plain list[VALUES_ARGS_MAX];
	size_t n;
	unsigned n_general, n_float;
};

static bool is_same(const struct want *a, const struct want *b)
{
	if (a->kind == WANT_RETVAL || b->kind == WANT_RETVAL)
		return a->kind == b->kind;
	if (a->reg >= 0 || a->stack_at || b->reg >= 0 || b->stack_at)
		return a->reg == b->reg && a->stack_at == b->stack_at;
	return a->kind == b->kind && a->number == b->number;
}

static void put(struct plain_list *l, const struct plain *p)
{
	for (size_t i = 0; i < l->n; i++)
		if (is_same(&l->list[i].want, &p->want)) {
			memmove(&l->list[i], &l->list[i + 1], (--l->n - i) * sizeof(*p));
			break;
		}
	if (l->n < VALUES_ARGS_MAX)
		l->list[l->n++] = *p;
}

/*
 * --- from a type -------------------------------------------------------------------------------
 */

static bool is_char(struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	return f.kind == TYPE_INT && f.is_char && f.n_bytes == 1 && !strcmp(f.name, "char");
}

/* Has a class nothing but base classes that have nothing? */
static bool is_empty_class(struct type t, unsigned depth)
{
	struct type_facts f;
	struct type_member m;

	type_get(t, &f);
	if (f.kind != TYPE_STRUCT || f.n_bytes > 1 || depth > EMPTY_DEPTH_MAX)
		return false;
	for (unsigned i = 0; i < f.n_members; i++)
		if (type_member(t, i, &m) < 0 || *m.name || !is_empty_class(m.type, depth + 1))
			return false;
	return true;
}

static void set_type(struct plain *p, struct type t)
{
	struct type_facts f;

	type_get(t, &f);
	p->is_small = f.n_bytes <= 4;
	switch (f.kind) {
	case TYPE_POINTER:
		p->want.format = is_char(f.target) ? 's' : 'p';
		break;
	case TYPE_INT:
		p->want.format = is_char(t) ? 'c' : 'd';
		break;
	case TYPE_ENUM:
		p->want.format = *f.name ? 'e' : 'd';
		p->want.type_name = f.name;
		break;
	case TYPE_FLOAT:
		p->want.format = 'f';
		p->want.n_bits = f.n_bytes > 8 ? 80 : (unsigned)f.n_bytes * 8;
		break;
	default:
		p->want.format = type_is_std_string(t) ? 'S' : 't';
		p->want.type_name = f.name;
		p->n_struct = is_empty_class(t, 0) ? 0 : f.n_bytes;
	}
}

static void put_types(struct plain_list *l, const struct signature *s, bool is_return)
{
	struct plain p;

	for (size_t i = 0; i < s->n_params && !is_return; i++) {
		p = (struct plain){.where = s->params[i].where, .want.reg = -1};
		set_type(&p, s->params[i].type);
		p.want.kind = p.want.format == 'f' ? WANT_FPARG : WANT_ARG;
		p.want.number = p.want.format == 'f' ? ++l->n_float : ++l->n_general;
		put(l, &p);
	}
	if (!is_return || !s->has_result)
		return;
	p = (struct plain){.where = s->result_where, .want = {.kind = WANT_RETVAL, .reg = -1}};
	set_type(&p, s->result);
	if (p.where.kind != WHERE_NOWHERE)
		put(l, &p);
}

/*
 * --- from a rule, from libc's prototypes -------------------------------------------------------
 */

static void put_want(struct plain_list *l, const struct want *w)
{
	struct plain p = {.want = *w};

	if (!p.want.format)
		p.want.format = w->kind == WANT_FPARG ? 'f' : 'd';
	p.where = where_of_want(&p.want);
	put(l, &p);
}

static struct want libc_want(char letter, enum want_kind kind, unsigned number)
{
	static const char from[] = "Plo", to[] = "pdx";
	const char *at = strchr(from, letter);

	return (struct want){.kind = kind,
			     .number = number,
			     .format = at ? to[at - from] : letter,
			     .n_bits = letter == 'd' ? 32 : 0,
			     .reg = -1};
}

/* uftrace shows no result of functions that return their first argument. */
static bool returns_argument(const char *name)
{
	static const char *const names[] = {"memcpy", "memmove", "memset", "strcpy", "strncpy"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void put_libc(struct plain_list *l, const struct plain_source *from, bool is_return)
{
	const char *equals = strchr(from->formats, '=');
	struct want w;

	if (is_return && returns_argument(from->name))
		return;
	for (const char *f = from->formats; f < equals && !is_return; f++) {
		w = libc_want(*f, *f == 'f' ? WANT_FPARG : WANT_ARG,
			      *f == 'f' ? ++l->n_float : ++l->n_general);
		put_want(l, &w);
	}
	if (!is_return || !equals[1] || equals[1] == 'v')
		return;
	w = libc_want(equals[1], WANT_RETVAL, 0);
	put_want(l, &w);
}

/*
 * --- what is recorded --------------------------------------------------------------------------
 */

static void fmt_spec(const struct plain *p, struct textbuf *tb)
{
	const struct want *w = &p->want;

	if (w->kind == WANT_RETVAL)
		textbuf_add_str(tb, "retval");
	else
		textbuf_addf(tb, "%s%u", w->kind == WANT_FPARG ? "fparg" : "arg", w->number);
	if (w->format == 't') {
		/* as uftrace does: without <…>, whose commas would end the form */
		textbuf_addf(tb, "/t%u:%.*s", (unsigned)p->n_struct,
			     (int)strcspn(w->type_name, "<"), w->type_name);
		return;
	}
	if (w->kind == WANT_FPARG)
		textbuf_addf(tb, "/%u", w->n_bits ? w->n_bits : 64);
	else if (w->format != 'd' || w->n_bits)
		textbuf_addf(tb, "/%c", w->format);
	if (w->kind != WANT_FPARG && w->n_bits)
		textbuf_addf(tb, "%u", w->n_bits);
	if (w->format == 'e')
		textbuf_addf(tb, ":%s", w->type_name);
}

/* The want that fetches it, so that its text leads back to the bytes. */
static struct want fetched(const struct plain *p)
{
	struct want w = p->want;

	w.type_name = NULL;
	if (strchr("diuxo", w.format)) {
		w.format = 'u';
		w.n_bits = w.n_bits ? w.n_bits : p->is_small ? 32 : 64;
	} else if (w.format == 'e') {
		w.format = 'u';
		w.n_bits = 32;
	} else if (w.format == 't') {
		w.format = 'x';
		w.n_bits = 64;
	} else if (w.format == 'f' && !w.n_bits) {
		w.n_bits = 64;
	}
	return w;
}

static void emit(struct builder *b, const struct plain *p, bool is_return, struct value *ret)
{
	struct want w = fetched(p);
	struct where where = p->where;

	if (p->want.format == 't' && is_return) /* its bytes do not matter */
		where = (struct where){.kind = WHERE_REGS, .n_regs = 1};
	if (p->want.format == 't' && !is_return)
		*ret = (struct value){.carrier = CARRIER_NONE};
	else
		value_of_want(b, is_return ? &b->leave : &b->enter, &w, (struct type){0}, &where,
			      ret);
}

static const char *take_text(struct arena *a, struct textbuf *tb)
{
	return textbuf_len(tb) ? arena_strndup(a, textbuf_text(tb), textbuf_len(tb)) : NULL;
}

static void emit_list(struct builder *b, const struct plain_list *l, bool is_return)
{
	TEXTBUF(specs, 8192);
	struct value v;

	for (size_t i = 0; i < l->n; i++) {
		if ((l->list[i].want.kind == WANT_RETVAL) != is_return)
			continue;
		emit(b, &l->list[i], is_return, &v);
		textbuf_add_str(&specs, textbuf_len(&specs) ? "," : "");
		fmt_spec(&l->list[i], &specs);
		if (is_return) {
			b->ret = v;
			b->has_ret = v.carrier != CARRIER_NONE;
		} else {
			b->args[b->n_args++] = v;
		}
	}
	if (is_return)
		b->ret_spec = b->has_ret ? take_text(b->arena, &specs) : NULL;
	else
		b->arg_spec = take_text(b->arena, &specs);
}

/* Does a rule name arguments, or the result? Then types do not count for them. */
static bool has_want(const struct plain_source *from, bool is_return)
{
	for (size_t i = 0; i < from->n_rules; i++)
		for (size_t k = 0; k < from->rules[i]->n_wants; k++)
			if ((from->rules[i]->wants[k].kind == WANT_RETVAL) == is_return)
				return true;
	return false;
}

void values_build_plain(struct builder *b, const struct plain_source *from)
{
	struct plain_list l = {.n = 0};

	for (int is_return = 0; is_return < 2 && from->is_automatic; is_return++) {
		if (has_want(from, is_return))
			continue;
		if (b->signature)
			put_types(&l, b->signature, is_return);
		else if (from->formats)
			put_libc(&l, from, is_return);
	}
	for (size_t i = 0; i < from->n_rules; i++)
		for (size_t k = 0; k < from->rules[i]->n_wants; k++)
			if (from->rules[i]->wants[k].kind != WANT_EXPRESSION)
				put_want(&l, &from->rules[i]->wants[k]);
	emit_list(b, &l, false);
	emit_list(b, &l, true);
}

/*
 * --- the enums that specs name -----------------------------------------------------------------
 */

static void fmt_enum(struct type t, struct textbuf *tb)
{
	struct type_enumerator e;
	struct type_facts f;
	int64_t next = 0;

	type_get(t, &f);
	if (f.kind != TYPE_ENUM || !*f.name)
		return;
	textbuf_addf(tb, "E enum %s {", f.name);
	for (unsigned i = 0; i < f.n_members && i < VALUES_ENUM_MAX; i++) {
		if (type_enumerator(t, i, &e) < 0)
			break;
		textbuf_addf(tb, "%s%s", i ? "," : "", e.name);
		if (e.value != next)
			textbuf_addf(tb, "=%lld", (long long)e.value);
		next = e.value + 1;
	}
	textbuf_add_str(tb, "}\n");
}

const char *values_fmt_enums(struct arena *a, const struct signature *s)
{
	TEXTBUF(tb, 1u << 20);

	for (size_t i = 0; i < s->n_params; i++)
		fmt_enum(s->params[i].type, &tb);
	if (s->has_result)
		fmt_enum(s->result, &tb);
	return take_text(a, &tb);
}
