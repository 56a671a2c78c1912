// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * types.c - operations on types that are independent of BTF and DWARF.
 *
 * BTF and DWARF implement the simple operations (types_ops). This file contains the common part:
 * members in anonymous structs, parsing and writing a type as in C.
 *
 * A pointer to a type need not be in any description. It is made by counting in the top byte of the
 * id, which no description uses (BTF has 2^20 types, DWARF offsets stay far below 2^56):
 *
 *	id   [ pointers to it : 8 ][ number in its world : 56 ]
 *
 * Descriptions may be hostile: a struct can contain itself, a typedef can refer to itself. So every
 * walk has a limit: MAX_DEPTH nested structs, MAX_STEPS members visited, MAX_PEELS names removed.
 */
#include "symbols/types.h"
#include "base/scope.h"
#include "base/array.h"
#include "base/textbuf.h"

#include "base/spelling.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#define POINTER_SHIFT  56
#define MAX_POINTERS   15
#define MAX_DEPTH      16
#define MAX_STEPS      (1u << 17)
#define MAX_PEELS      32
#define MAX_WORDS      6
#define TEXT_MAX_BYTES 4096

static unsigned count_pointers(struct type t)
{
	return t.id >> POINTER_SHIFT;
}

static struct type take_pointer(struct type t)
{
	return (struct type){t.world, t.id - ((uint64_t)1 << POINTER_SHIFT)};
}

struct type type_pointer_to(struct type t)
{
	if (count_pointers(t) < MAX_POINTERS)
		t.id += (uint64_t)1 << POINTER_SHIFT;
	return t;
}

void type_get(struct type t, struct type_facts *ret_facts)
{
	*ret_facts = (struct type_facts){.kind = TYPE_VOID, .name = ""};
	if (t.world && count_pointers(t))
		*ret_facts = (struct type_facts){.kind = TYPE_POINTER,
						 .name = "",
						 .n_bytes = t.world->pointer_bytes,
						 .target = take_pointer(t)};
	else if (t.world && t.id)
		t.world->ops->get(t.world, t.id, ret_facts);
}

int type_member(struct type t, unsigned i, struct type_member *ret_member)
{
	struct type_facts f;

	type_get(t, &f);
	if (count_pointers(t) || i >= f.n_members || f.kind == TYPE_ENUM)
		return -ENOENT;
	return t.world->ops->member(t.world, t.id, i, ret_member);
}

int type_enumerator(struct type t, unsigned i, struct type_enumerator *ret_enumerator)
{
	struct type_facts f;

	type_get(t, &f);
	if (count_pointers(t) || i >= f.n_members || f.kind != TYPE_ENUM)
		return -ENOENT;
	return t.world->ops->enumerator(t.world, t.id, i, ret_enumerator);
}

bool type_peel(struct type t, const char **ret_name, struct type *ret_type)
{
	uint64_t id;

	if (!t.world || !t.id || count_pointers(t) ||
	    !t.world->ops->peel(t.world, t.id, ret_name, &id))
		return false;
	*ret_type = (struct type){t.world, id};
	return true;
}

bool type_is_by_address(struct type t)
{
	return t.world && t.id && !count_pointers(t) && t.world->ops->is_by_address &&
	       t.world->ops->is_by_address(t.world, t.id);
}

/*
 * --- members
 * --------------------------------------------------------------------------------------
 */

struct member_walk {
	int (*visit)(void *ctx, const struct type_member *m);
	void *ctx;
	unsigned n_steps;
};

static bool is_compound(const struct type_facts *f)
{
	return f->kind == TYPE_STRUCT || f->kind == TYPE_UNION;
}

static int walk_members(struct member_walk *w, struct type t, uint64_t bit_offset, unsigned depth)
{
	struct type_facts f;
	struct type_member m;
	int r = 0;

	type_get(t, &f);
	if (!is_compound(&f) || depth > MAX_DEPTH)
		return 0;
	for (unsigned i = 0; i < f.n_members && r >= 0; i++) {
		if (++w->n_steps > MAX_STEPS)
			return 0;
		if (t.world->ops->member(t.world, t.id, i, &m) < 0)
			continue;
		m.bit_offset += bit_offset;
		r = *m.name ? w->visit(w->ctx, &m)
			    : walk_members(w, m.type, m.bit_offset, depth + 1);
	}
	return r;
}

int type_each_member(struct type t, int (*visit)(void *ctx, const struct type_member *m), void *ctx)
{
	struct member_walk w = {visit, ctx};

	return count_pointers(t) ? 0 : walk_members(&w, t, 0, 0);
}

/*
 * Finds a member. A type's own members come before inherited ones: a class hides what it inherits.
 */
static bool find_member(struct type t, const char *name, size_t len, unsigned depth,
			unsigned *n_steps, struct type_member *ret)
{
	struct type_facts f;
	struct type_member m;
	uint64_t bit_offset;

	type_get(t, &f);
	if (!is_compound(&f) || depth > MAX_DEPTH)
		return false;
	for (unsigned i = 0; i < f.n_members && ++*n_steps <= MAX_STEPS; i++)
		if (t.world->ops->member(t.world, t.id, i, &m) == 0 && *m.name &&
		    !strncmp(m.name, name, len) && !m.name[len]) {
			*ret = m;
			return true;
		}
	for (unsigned i = 0; i < f.n_members && ++*n_steps <= MAX_STEPS; i++) {
		if (t.world->ops->member(t.world, t.id, i, &m) < 0 || *m.name)
			continue;
		bit_offset = m.bit_offset;
		if (find_member(m.type, name, len, depth + 1, n_steps, ret)) {
			ret->bit_offset += bit_offset;
			return true;
		}
	}
	return false;
}

int type_find_member(struct type t, const char *name, size_t len, struct type_member *ret_member)
{
	unsigned n_steps = 0;

	if (!len || count_pointers(t))
		return -ENOENT;
	return find_member(t, name, len, 0, &n_steps, ret_member) ? 0 : -ENOENT;
}

/*
 * --- a type as a person writes it
 * -----------------------------------------------------------------
 */

/* The words of a type before the stars. */
struct type_words {
	struct {
		const char *at;
		size_t len;
	} list[MAX_WORDS];
	unsigned n;
};

static bool is_word(const struct type_words *w, unsigned i, const char *word)
{
	return w->list[i].len == strlen(word) && !memcmp(w->list[i].at, word, w->list[i].len);
}

/* Returns true for words without influence on the layout. */
static bool is_qualifier(const char *at, size_t len)
{
	static const char *const words[] = {"const", "volatile", "restrict", "__user", "__rcu"};

	return ARRAY_ANY(ARRAY_LEN(words), i,
			 len == strlen(words[i]) && !memcmp(words[i], at, len));
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || strchr("_:.$<>~", c);
}

static int take_words(const char *text, size_t len, struct type_words *w, unsigned *ret_stars)
{
	unsigned stars = 0;

	w->n = 0;
	for (size_t i = 0, begin; i < len;) {
		if (text[i] == ' ' || text[i] == '\t') {
			i++;
		} else if (text[i] == '*' || text[i] == '&') {
			stars++;
			i++;
		} else if (text[i] && is_letter(text[i])) {
			for (begin = i; i < len && text[i] && is_letter(text[i]);)
				i++;
			if (is_qualifier(text + begin, i - begin))
				continue;
			if (stars || w->n == MAX_WORDS)
				return -EINVAL;
			w->list[w->n].at = text + begin;
			w->list[w->n++].len = i - begin;
		} else {
			return -EINVAL;
		}
	}
	*ret_stars = stars;
	return w->n && stars <= MAX_POINTERS ? 0 : -EINVAL;
}

/* C's number types: these words in any order. gcc and clang name the same type differently. */
struct c_number {
	int n_signed, n_unsigned, n_short, n_long, n_int, n_char;
};

static const struct {
	struct c_number words;
	const char *names[3];
} c_numbers[] = {
	{{.n_char = 1}, {"char"}},
	{{.n_char = 1, .n_signed = 1}, {"signed char"}},
	{{.n_char = 1, .n_unsigned = 1}, {"unsigned char"}},
	{{.n_short = 1}, {"short int", "short"}},
	{{.n_short = 1, .n_unsigned = 1}, {"short unsigned int", "unsigned short"}},
	{{.n_long = 0}, {"int"}},
	{{.n_unsigned = 1}, {"unsigned int"}},
	{{.n_long = 1}, {"long int", "long"}},
	{{.n_long = 1, .n_unsigned = 1}, {"long unsigned int", "unsigned long"}},
	{{.n_long = 2}, {"long long int", "long long"}},
	{{.n_long = 2, .n_unsigned = 1}, {"long long unsigned int", "unsigned long long"}},
};

static bool count_number_words(const struct type_words *w, struct c_number *ret)
{
	struct c_number n = {0};
	const struct {
		const char *word;
		int *count;
	} words[] = {{"signed", &n.n_signed}, {"unsigned", &n.n_unsigned}, {"short", &n.n_short},
		     {"long", &n.n_long},     {"int", &n.n_int},	   {"char", &n.n_char}};

	for (unsigned i = 0; i < w->n; i++) {
		unsigned k = 0;

		while (k < 6 && !is_word(w, i, words[k].word))
			k++;
		if (k == 6)
			return false;
		++*words[k].count;
	}
	/* "int" with other words changes nothing, nor does "signed" without char */
	if (!n.n_char)
		n.n_signed = 0;
	n.n_int = 0;
	*ret = n;
	return true;
}

static int find_number(const struct types *world, const struct c_number *n, struct type *ret_type)
{
	for (size_t i = 0; i < ARRAY_LEN(c_numbers); i++) {
		if (memcmp(n, &c_numbers[i].words, sizeof(*n)))
			continue;
		for (const char *const *name = c_numbers[i].names; *name; name++)
			if (!world->ops->find(world, TYPE_INT, *name, strlen(*name), ret_type))
				return 0;
		return -ENOENT;
	}
	return -EINVAL;
}

/* Finds a type by a plain name: "kvm" may be a typedef, a C++ class, a number such as _Bool. */
static int find_plain(const struct types *world, const char *name, size_t len,
		      struct type *ret_type)
{
	static const enum type_kind order[] = {TYPE_UNKNOWN, TYPE_STRUCT, TYPE_UNION,
					       TYPE_ENUM,    TYPE_INT,	  TYPE_FLOAT};

	if (len == 4 && !memcmp(name, "void", 4)) {
		*ret_type = (struct type){world, 0};
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (!world->ops->find(world, order[i], name, len, ret_type))
			return 0;
	if (len == 4 && !memcmp(name, "bool", 4))
		return world->ops->find(world, TYPE_INT, "_Bool", 5, ret_type);
	return -ENOENT;
}

/* Words before the name of a type. The last row is for a name without such a word. */
static const struct {
	const char *word;
	enum type_kind kind;
} c_tags[] = {{"struct", TYPE_STRUCT},
	      {"class", TYPE_STRUCT},
	      {"union", TYPE_UNION},
	      {"enum", TYPE_ENUM},
	      {"", TYPE_UNKNOWN}};

static int find_words(const struct types *world, const struct type_words *w, struct type *ret_type)
{
	struct c_number n;

	for (size_t i = 0; i < ARRAY_LEN(c_tags); i++)
		if (is_word(w, 0, c_tags[i].word))
			return w->n != 2 ? -EINVAL
					 : world->ops->find(world, c_tags[i].kind, w->list[1].at,
							    w->list[1].len, ret_type);
	if (count_number_words(w, &n))
		return find_number(world, &n, ret_type);
	return w->n == 1 ? find_plain(world, w->list[0].at, w->list[0].len, ret_type) : -EINVAL;
}

static void add_spelling(void *ctx, const char *name)
{
	spelling_add(ctx, name);
}

bool types_nearest(const struct types *world, const char *text, size_t len, char *ret_name,
		   size_t size)
{
	const size_t n_tags = ARRAY_LEN(c_tags);
	struct type_words w;
	const char *tag = "";
	unsigned stars;
	struct spelling sp;

	if (take_words(text, len, &w, &stars) < 0)
		return false;
	/* the last word is the name, whatever comes before it */
	spelling_init(&sp, w.list[w.n - 1].at, w.list[w.n - 1].len);
	for (size_t k = 0; k < n_tags; k++) {
		/* typedefs first, or the kind that was written */
		size_t i = w.n == 1 ? n_tags - 1 - k : k;
		const char *before = sp.nearest;

		if (w.n == 1 || is_word(&w, 0, c_tags[i].word) || !*c_tags[i].word)
			world->ops->each_name(world, c_tags[i].kind, add_spelling, &sp);
		if (sp.nearest != before)
			tag = c_tags[i].word;
	}
	if (sp.nearest)
		snprintf(ret_name, size, "%s%s%s", tag, *tag ? " " : "", sp.nearest);
	return sp.nearest;
}

int types_parse(const struct types *world, const char *text, size_t len, struct type *ret_type)
{
	struct type_words words;
	struct type t;
	unsigned stars;

	TRY(take_words(text, len, &words, &stars));
	TRY(find_words(world, &words, &t));
	while (stars--)
		t = type_pointer_to(t);
	*ret_type = t;
	return 0;
}

/*
 * --- a type as text
 * -------------------------------------------------------------------------------
 */

/*
 * The text of a type. It ends at TEXT_MAX_BYTES: a function type that contains itself twice would
 * be endless.
 */
struct type_text {
	struct textbuf *tb;
	size_t end;
};

static bool is_full(const struct type_text *text)
{
	return text->tb->overflow || textbuf_len(text->tb) >= text->end;
}

static void fmt_type(struct type t, const struct type_text *text, unsigned depth);

static void fmt_parameters(struct type t, const struct type_facts *f, const struct type_text *text,
			   unsigned depth)
{
	struct textbuf *tb = text->tb;
	struct type_member m;

	textbuf_add_char(tb, '(');
	for (unsigned i = 0; i < f->n_members && !is_full(text); i++) {
		if (i)
			textbuf_add_str(tb, ", ");
		if (!type_member(t, i, &m))
			fmt_type(m.type, text, depth + 1);
	}
	textbuf_add_str(tb, f->n_members ? ")" : "void)");
}

/* Writes "int (*)(long)": the star is in the middle. */
static void fmt_pointer(const struct type_facts *f, const struct type_text *text, unsigned depth)
{
	struct textbuf *tb = text->tb;
	struct type_facts target;

	type_get(f->target, &target);
	if (target.kind == TYPE_FUNCTION) {
		fmt_type(target.target, text, depth + 1);
		textbuf_add_str(tb, "(*)");
		fmt_parameters(f->target, &target, text, depth + 1);
		return;
	}
	fmt_type(f->target, text, depth + 1);
	textbuf_add_char(tb, f->is_reference ? '&' : '*');
}

/* Returns true if the type has a typedef's name, so that it is not expanded. */
static bool has_alias(struct type t)
{
	struct type next;
	const char *name;

	for (unsigned i = 0; i < MAX_PEELS && type_peel(t, &name, &next); i++) {
		if (*name && !is_qualifier(name, strlen(name)))
			return true;
		t = next;
	}
	return false;
}

/* Writes the element before all lengths, the outer length first: "int[2][3]". */
static void fmt_array(struct type t, const struct type_text *text, unsigned depth)
{
	struct textbuf *tb = text->tb;
	uint64_t lengths[MAX_DEPTH];
	struct type_facts f;
	unsigned n = 0;

	for (type_get(t, &f); f.kind == TYPE_ARRAY && n < MAX_DEPTH; type_get(t, &f)) {
		lengths[n++] = f.n_elements;
		t = f.target;
		if (has_alias(t))
			break;
	}
	fmt_type(t, text, depth + 1);
	for (unsigned i = 0; i < n; i++) {
		textbuf_add_char(tb, '[');
		if (lengths[i])
			textbuf_add_dec(tb, lengths[i]);
		textbuf_add_char(tb, ']');
	}
}

/* Removes qualifiers and writes them. Returns true if it ended at a typedef's name. */
static bool fmt_names(struct type *t, struct textbuf *tb)
{
	struct type next;
	const char *name;

	for (unsigned i = 0; i < MAX_PEELS && type_peel(*t, &name, &next); i++) {
		if (*name && !is_qualifier(name, strlen(name))) {
			textbuf_add_str(tb, name);
			return true;
		}
		if (*name) {
			textbuf_add_str(tb, name);
			textbuf_add_char(tb, ' ');
		}
		*t = next;
	}
	return false;
}

static void fmt_type(struct type t, const struct type_text *text, unsigned depth)
{
	static const char *const tags[] = {
		[TYPE_STRUCT] = "struct ",
		[TYPE_UNION] = "union ",
		[TYPE_ENUM] = "enum ",
	};
	struct textbuf *tb = text->tb;
	struct type_facts f;

	if (is_full(text))
		return;
	if (depth > MAX_DEPTH) {
		textbuf_add_str(tb, "...");
		return;
	}
	if (fmt_names(&t, tb))
		return;
	type_get(t, &f);
	if (f.kind == TYPE_POINTER) {
		fmt_pointer(&f, text, depth);
	} else if (f.kind == TYPE_ARRAY) {
		fmt_array(t, text, depth);
	} else if (f.kind == TYPE_FUNCTION) {
		fmt_type(f.target, text, depth + 1);
		fmt_parameters(t, &f, text, depth);
	} else if (f.kind == TYPE_VOID) {
		textbuf_add_str(tb, "void");
	} else {
		if (f.kind < ARRAY_LEN(tags) && tags[f.kind])
			textbuf_add_str(tb, tags[f.kind]);
		textbuf_add_str(tb, *f.name ? f.name : "{...}");
	}
}

void type_fmt(struct type t, struct textbuf *tb)
{
	struct type_text text = {tb, textbuf_len(tb) + TEXT_MAX_BYTES};

	fmt_type(t, &text, 0);
}
