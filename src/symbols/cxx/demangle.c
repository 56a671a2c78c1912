// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle.c - reads symbols of the Itanium C++ ABI, which gcc and clang use everywhere on Linux.
 *
 *	_Z  N K 2ns 3Box 3get E  i
 *	    │ │ └─ parts ───┘    └─ parameters: read only by demangle_parameters()
 *	    │ └ of a const method
 *	    └ several parts
 *
 *	_ZN3BoxIiSt6vectorIiSaIiEEE3addERKS3_
 *	        └ template arguments: types, each may use what came before (S_ S0_ …, T_ T0_ …)
 *
 * Only the name is wanted, but types have to be read: they stand in template arguments, and in the parameters of a
 * function that something is local to (Z…E). Each rule of the grammar is a function that returns its text, made of
 * pieces in a pool that is thrown away in the end; NULL ends it all. A type has two texts, because a pointer to
 * an array or a function goes into the middle: "int (*" and ")(char)".
 *
 * Expressions in template arguments (X…E, decltype) are not understood, except for literals and addresses: such a
 * symbol keeps its mangled name. Spelling is that of c++filt -p: "char const*", "vector<int, allocator<int> >".
 *
 * Input is hostile: nesting, substitutions and text all have ceilings.
 */
#include "symbols/cxx/demangle.h"

#include "symbols/cxx/demangle_int.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *read_encoding(struct demangler *d);

/* --- texts --------------------------------------------------------------------------------------- */

const char *demangler_fmt(struct demangler *d, const char *format, ...)
{
	size_t room = DEMANGLE_POOL_BYTES - d->used;
	char *text = d->pool + d->used;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, room, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= room)
		return NULL;
	d->used += n + 1;
	return text;
}

const char *ctype_fmt(struct demangler *d, const struct ctype *t)
{
	return *t->right ? demangler_fmt(d, "%s%s", t->left, t->right) : t->left;
}

bool demangler_add_sub(struct demangler *d, struct ctype t)
{
	if (d->n_subs == DEMANGLE_SUBS_MAX)
		return false;
	d->subs[d->n_subs++] = t;
	return true;
}

bool demangler_take(struct demangler *d, char c)
{
	if (*d->p != c)
		return false;
	d->p++;
	return true;
}

bool demangler_enter(struct demangler *d)
{
	return ++d->depth <= DEMANGLE_DEPTH_MAX;
}

/* --- small rules --------------------------------------------------------------------------------- */

static bool read_number(struct demangler *d, unsigned long *ret)
{
	unsigned long n = 0;

	if (!isdigit((unsigned char)*d->p))
		return false;
	for (; isdigit((unsigned char)*d->p); d->p++) {
		n = n * 10 + (*d->p - '0');
		if (n > 1u << 24)
			return false;
	}
	*ret = n;
	return true;
}

/* "_" is 0, "0_" is 1 …, to the base of 36 for S. */
static bool read_index(struct demangler *d, unsigned base, size_t *ret)
{
	size_t n = 0;

	if (demangler_take(d, '_')) {
		*ret = 0;
		return true;
	}
	for (; isdigit((unsigned char)*d->p) || (base == 36 && isupper((unsigned char)*d->p));
	     d->p++) {
		n = n * base + (isdigit((unsigned char)*d->p) ? *d->p - '0' : *d->p - 'A' + 10);
		if (n > DEMANGLE_SUBS_MAX)
			return false;
	}
	*ret = n + 1;
	return demangler_take(d, '_');
}

const char *demangler_source_name(struct demangler *d)
{
	unsigned long len;
	const char *text;

	if (!read_number(d, &len) || !len || strnlen(d->p, len) < len)
		return NULL;
	text = len >= 10 && !strncmp(d->p, "_GLOBAL_", 8) && strchr("._$", d->p[8]) &&
			       d->p[9] == 'N'
		       ? "(anonymous namespace)"
		       : demangler_fmt(d, "%.*s", (int)len, d->p);
	d->p += len;
	return text;
}

/* [abi:cxx11] */
static const char *add_tags(struct demangler *d, const char *name)
{
	while (name && demangler_take(d, 'B')) {
		const char *tag = demangler_source_name(d);

		name = tag ? demangler_fmt(d, "%s[abi:%s]", name, tag) : NULL;
	}
	return name;
}

/* "_12", "__123_" behind something local. */
static void skip_discriminator(struct demangler *d)
{
	if (*d->p != '_' || (d->p[1] != '_' && !isdigit((unsigned char)d->p[1])))
		return;
	d->p += d->p[1] == '_' ? 2 : 1;
	while (isdigit((unsigned char)*d->p))
		d->p++;
	demangler_take(d, '_');
}

/* --- operators ----------------------------------------------------------------------------------- */

static const struct {
	char code[3];
	const char *text;
} operators[] = {
	{"nw", " new"}, {"na", " new[]"}, {"dl", " delete"},   {"da", " delete[]"}, {"ps", "+"},
	{"ng", "-"},	{"ad", "&"},	  {"de", "*"},	       {"co", "~"},	    {"pl", "+"},
	{"mi", "-"},	{"ml", "*"},	  {"dv", "/"},	       {"rm", "%"},	    {"an", "&"},
	{"or", "|"},	{"eo", "^"},	  {"aS", "="},	       {"pL", "+="},	    {"mI", "-="},
	{"mL", "*="},	{"dV", "/="},	  {"rM", "%="},	       {"aN", "&="},	    {"oR", "|="},
	{"eO", "^="},	{"ls", "<<"},	  {"rs", ">>"},	       {"lS", "<<="},	    {"rS", ">>="},
	{"eq", "=="},	{"ne", "!="},	  {"lt", "<"},	       {"gt", ">"},	    {"le", "<="},
	{"ge", ">="},	{"ss", "<=>"},	  {"nt", "!"},	       {"aa", "&&"},	    {"oo", "||"},
	{"pp", "++"},	{"mm", "--"},	  {"cm", ","},	       {"pm", "->*"},	    {"pt", "->"},
	{"cl", "()"},	{"ix", "[]"},	  {"aw", " co_await"},
};

static const char *read_operator(struct demangler *d)
{
	const char *name;
	struct ctype t;

	if (!strncmp(d->p, "cv", 2)) {
		d->p += 2;
		name = demangler_type(d, &t) ? ctype_fmt(d, &t) : NULL;
		return name ? demangler_fmt(d, "operator %s", name) : NULL;
	}
	if (!strncmp(d->p, "li", 2)) {
		d->p += 2;
		name = demangler_source_name(d);
		return name ? demangler_fmt(d, "operator\"\" %s", name) : NULL;
	}
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (!strncmp(d->p, operators[i].code, 2)) {
			d->p += 2;
			return demangler_fmt(d, "operator%s", operators[i].text);
		}
	return NULL;
}

/* --- parts of a name ----------------------------------------------------------------------------- */

/* "Box" of "ns::Box<a::b>": what a constructor is called. */
static const char *last_part(struct demangler *d, const char *prefix)
{
	const char *begin = prefix, *end = prefix + strlen(prefix);
	int angles = 0;

	for (const char *p = prefix; *p; p++) {
		angles += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (!angles && p[0] == ':' && p[1] == ':')
			begin = p + 2;
	}
	for (const char *p = begin; *p; p++)
		if (*p == '<' || *p == '[') {
			end = p;
			break;
		}
	return demangler_fmt(d, "%.*s", (int)(end - begin), begin);
}

static const char *read_constructor(struct demangler *d, const char *prefix)
{
	bool is_destructor = *d->p == 'D';
	const char *class = prefix ? last_part(d, prefix) : NULL;

	d->p++;
	if (!is_destructor)
		demangler_take(d, 'I'); /* of a base class, inherited: its type follows */
	if (!class || !isdigit((unsigned char)*d->p))
		return NULL;
	if (d->p[-1] == 'I') {
		struct ctype t;

		d->p++;
		if (!demangler_type(d, &t))
			return NULL;
	} else {
		d->p++;
	}
	return demangler_fmt(d, "%s%s", is_destructor ? "~" : "", class);
}

/* Ut_, Ul…E_: types without a name. */
static const char *read_unnamed(struct demangler *d)
{
	const char *types = NULL;
	size_t n;

	if (demangler_take(d, 't'))
		return read_index(d, 10, &n) ? demangler_fmt(d, "{unnamed type#%zu}", n + 1) : NULL;
	if (!demangler_take(d, 'l'))
		return NULL;
	types = demangler_types(d);
	if (!types || !demangler_take(d, 'E') || !read_index(d, 10, &n))
		return NULL;
	return demangler_fmt(d, "{lambda(%s)#%zu}", types, n + 1);
}

static const char *read_unqualified(struct demangler *d, const char *prefix)
{
	const char *name;

	d->p += *d->p == 'L'; /* only of this file */
	if (isdigit((unsigned char)*d->p))
		name = demangler_source_name(d);
	else if (*d->p == 'C' || (*d->p == 'D' && isdigit((unsigned char)d->p[1])))
		name = read_constructor(d, prefix);
	else if (demangler_take(d, 'U'))
		name = read_unnamed(d);
	else
		name = read_operator(d);
	return add_tags(d, name);
}

/* --- templates ----------------------------------------------------------------------------------- */

/* Numbers have the suffix of their type; other types are cast. */
static const char *fmt_literal(struct demangler *d, const char *type, const char *digits, int len,
			       const char *sign)
{
	static const struct {
		const char *type, *suffix;
	} suffixes[] = {{"int", ""},	     {"unsigned int", "u"},
			{"long", "l"},	     {"unsigned long", "ul"},
			{"long long", "ll"}, {"unsigned long long", "ull"}};

	if (!strcmp(type, "bool") && len == 1)
		return *digits == '0' ? "false" : "true";
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (!strcmp(suffixes[i].type, type))
			return demangler_fmt(d, "%s%.*s%s", sign, len, digits, suffixes[i].suffix);
	return demangler_fmt(d, "(%s)%s%.*s", type, sign, len, digits);
}

/* L TYPE VALUE E, or L _Z … E: the name of something. */
static const char *read_literal(struct demangler *d)
{
	const char *digits, *sign, *text;
	struct ctype t;
	int len;

	if (!strncmp(d->p, "_Z", 2)) {
		d->p += 2;
		text = read_encoding(d);
		return text && demangler_take(d, 'E') ? text : NULL;
	}
	if (!demangler_type(d, &t))
		return NULL;
	sign = demangler_take(d, 'n') ? "-" : "";
	digits = d->p;
	len = strspn(digits, "0123456789abcdef");
	d->p += len;
	text = ctype_fmt(d, &t);
	return text && demangler_take(d, 'E') ? fmt_literal(d, text, digits, len, sign) : NULL;
}

static bool read_argument(struct demangler *d, struct ctype *ret)
{
	const char *text;

	if (demangler_take(d, 'L')) {
		text = read_literal(d);
		*ret = (struct ctype){text, "", false};
		return text;
	}
	if (!strncmp(d->p, "XadL", 4)) { /* the address of something */
		d->p += 4;
		text = read_literal(d);
		text = text && demangler_take(d, 'E') ? demangler_fmt(d, "&%s", text) : NULL;
		*ret = (struct ctype){text, "", false};
		return text;
	}
	return *d->p != 'X' && demangler_type(d, ret);
}

/* J … E: a pack; its elements are arguments like others. */
static const char *join_argument(struct demangler *d, const char *list, struct ctype *ret)
{
	const char *text = "";
	struct ctype t;

	if (demangler_take(d, 'J')) {
		while (text && *d->p && *d->p != 'E') {
			const char *one = read_argument(d, &t) ? ctype_fmt(d, &t) : NULL;

			text = !one ? NULL : *text ? demangler_fmt(d, "%s, %s", text, one) : one;
		}
		if (!text || !demangler_take(d, 'E'))
			return NULL;
		*ret = (struct ctype){text, "", false};
	} else if (read_argument(d, ret)) {
		text = ctype_fmt(d, ret);
	} else {
		return NULL;
	}
	if (!text || !*text)
		return text ? list : NULL;
	return *list ? demangler_fmt(d, "%s, %s", list, text) : text;
}

/* Behind the I. They become T_, T0_ … of what follows. */
const char *demangler_template_args(struct demangler *d)
{
	struct ctype args[DEMANGLE_ARGS_MAX];
	const char *list = "";
	size_t n = 0;

	while (list && *d->p && *d->p != 'E') {
		if (n == DEMANGLE_ARGS_MAX)
			return NULL;
		list = join_argument(d, list, &args[n++]);
	}
	if (!list || !demangler_take(d, 'E'))
		return NULL;
	memcpy(d->args, args, n * sizeof(*args));
	d->n_args = n;
	return demangler_fmt(d, "<%s%s>", list, *list && list[strlen(list) - 1] == '>' ? " " : "");
}

/* "operator<< <char>" */
static const char *add_angles(struct demangler *d, const char *name, const char *args)
{
	return demangler_fmt(d, name[strlen(name) - 1] == '<' ? "%s %s" : "%s%s", name, args);
}

bool demangler_template_param(struct demangler *d, struct ctype *ret)
{
	size_t i;

	if (!read_index(d, 10, &i) || i >= d->n_args)
		return false;
	*ret = d->args[i];
	return true;
}

/* --- substitutions ------------------------------------------------------------------------------- */

static const struct {
	char letter;
	const char *text;
} standard[] = {{'t', "std"},	       {'a', "std::allocator"}, {'b', "std::basic_string"},
		{'s', "std::string"},  {'i', "std::istream"},	{'o', "std::ostream"},
		{'d', "std::iostream"}};

/* What these are in full, where a constructor follows. */
static const char *full_standard(const char *text)
{
	static const struct {
		const char *brief, *full;
	} list[] = {{"std::string", "std::basic_string<char, std::char_traits<char>, "
				    "std::allocator<char> >"},
		    {"std::istream", "std::basic_istream<char, std::char_traits<char> >"},
		    {"std::ostream", "std::basic_ostream<char, std::char_traits<char> >"},
		    {"std::iostream", "std::basic_iostream<char, std::char_traits<char> >"}};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		if (!strcmp(text, list[i].brief))
			return list[i].full;
	return text;
}

/* Behind the S. */
bool demangler_substitution(struct demangler *d, struct ctype *ret)
{
	size_t i;

	if (islower((unsigned char)*d->p)) {
		for (i = 0; i < sizeof(standard) / sizeof(*standard); i++)
			if (demangler_take(d, standard[i].letter)) {
				const char *text = standard[i].text;

				if (*d->p == 'C' || (*d->p == 'D' && isdigit(d->p[1])))
					text = full_standard(text);
				*ret = (struct ctype){text, "", false};
				return true;
			}
		return false;
	}
	if (!read_index(d, 36, &i) || i >= d->n_subs)
		return false;
	*ret = d->subs[i];
	return true;
}

/* --- names --------------------------------------------------------------------------------------- */

/* One more part of N…E; *is_new: it can be referred to later. */
static const char *read_part(struct demangler *d, const char *prefix, bool *is_new)
{
	const char *text;
	struct ctype t;

	*is_new = true;
	if (*d->p == 'S' && !prefix) {
		d->p++;
		*is_new = false;
		return demangler_substitution(d, &t) ? ctype_fmt(d, &t) : NULL;
	}
	if (*d->p == 'T' && !prefix) {
		d->p++;
		return demangler_template_param(d, &t) ? ctype_fmt(d, &t) : NULL;
	}
	if (demangler_take(d, 'I')) {
		text = prefix ? demangler_template_args(d) : NULL;
		return text ? add_angles(d, prefix, text) : NULL;
	}
	text = read_unqualified(d, prefix);
	return text && prefix ? demangler_fmt(d, "%s::%s", prefix, text) : text;
}

/* Behind the N. */
static const char *read_nested(struct demangler *d)
{
	const char *name = NULL;
	bool is_new;

	while (*d->p && strchr("rVK", *d->p))
		d->p++;
	if (*d->p == 'R' || *d->p == 'O')
		d->p++;
	do {
		name = read_part(d, name, &is_new);
		demangler_take(d, 'M'); /* of a member's initialiser */
		if (name && is_new && *d->p != 'E' &&
		    !demangler_add_sub(d, (struct ctype){name, "", false}))
			return NULL;
	} while (name && *d->p && *d->p != 'E');
	return name && demangler_take(d, 'E') ? name : NULL;
}

/* Behind the Z: a function, and what is inside of it. */
static const char *read_local(struct demangler *d)
{
	const char *function = read_encoding(d), *name;

	if (!function || !demangler_take(d, 'E'))
		return NULL;
	if (demangler_take(d, 's')) {
		skip_discriminator(d);
		return demangler_fmt(d, "%s::string literal", function);
	}
	if (demangler_take(d, 'd')) { /* in the value of a parameter that was left out */
		size_t n;

		if (!read_index(d, 10, &n))
			return NULL;
		function = demangler_fmt(d, "%s::{default arg#%zu}", function, n + 1);
	}
	name = function ? demangler_name(d) : NULL;
	skip_discriminator(d);
	return name ? demangler_fmt(d, "%s::%s", function, name) : NULL;
}

static const char *read_plain(struct demangler *d)
{
	const char *name, *args;
	bool is_sub = false;
	struct ctype t;

	if (!strncmp(d->p, "St", 2)) {
		d->p += 2;
		name = read_unqualified(d, NULL);
		name = name ? demangler_fmt(d, "std::%s", name) : NULL;
	} else if (demangler_take(d, 'S')) {
		name = demangler_substitution(d, &t) ? ctype_fmt(d, &t) : NULL;
		is_sub = true;
	} else {
		name = read_unqualified(d, NULL);
	}
	if (!name || *d->p != 'I')
		return is_sub ? NULL : name;
	if (!is_sub && !demangler_add_sub(d, (struct ctype){name, "", false}))
		return NULL;
	d->p++;
	args = demangler_template_args(d);
	return args ? add_angles(d, name, args) : NULL;
}

const char *demangler_name(struct demangler *d)
{
	const char *name = NULL;

	if (demangler_enter(d))
		name = demangler_take(d, 'N')	? read_nested(d)
		       : demangler_take(d, 'Z') ? read_local(d)
						: read_plain(d);
	d->depth--;
	return name;
}

/* --- all ----------------------------------------------------------------------------------------- */

/* h…_, v…_…_ of a thunk. */
static bool skip_offset(struct demangler *d)
{
	int n = *d->p == 'v' ? 2 : *d->p == 'h' ? 1 : 0;

	if (!n)
		return false;
	for (d->p++; n; n--) {
		demangler_take(d, 'n');
		while (isdigit((unsigned char)*d->p))
			d->p++;
		if (!demangler_take(d, '_'))
			return false;
	}
	return true;
}

/* What a compiler makes of its own, as far as it is code. */
static const char *read_special(struct demangler *d)
{
	const char *what = NULL, *name;

	if (*d->p == 'c') {
		d->p++;
		what = skip_offset(d) && skip_offset(d) ? "covariant return thunk to" : NULL;
	} else if (*d->p == 'h' || *d->p == 'v') {
		what = *d->p == 'h' ? "non-virtual thunk to" : "virtual thunk to";
		what = skip_offset(d) ? what : NULL;
	} else if (*d->p == 'W' || *d->p == 'H') {
		what = *d->p == 'W' ? "TLS wrapper function for" : "TLS init function for";
		d->p++;
	}
	name = what ? read_encoding(d) : NULL;
	return name ? demangler_fmt(d, "%s %s", what, name) : NULL;
}

/* The name; parameters are only passed over where an E ends them. */
static const char *read_encoding(struct demangler *d)
{
	const char *name;

	if (demangler_take(d, 'T'))
		return read_special(d);
	name = demangler_name(d);
	return name && (!*d->p || *d->p == 'E' || *d->p == '.' || demangler_types(d)) ? name : NULL;
}

static bool run(struct demangler *d, const char *symbol, char *name, size_t n_bytes)
{
	const char *text, *clone = strchr(symbol, '.'), *at = strchr(symbol, '@');
	const char *end = symbol + strcspn(symbol, ".@");
	int n;

	d->p = symbol = demangler_fmt(d, "%.*s", (int)(end - symbol), symbol);
	if (!d->p)
		return false;
	d->p += 2;
	text = *d->p == 'T' ? read_encoding(d) : demangler_name(d);
	if (!text)
		return false;
	if (at && clone > at)
		clone = NULL;
	n = snprintf(name, n_bytes, "%s%s%.*s%s", text, clone ? " [clone " : "",
		     clone ? (int)strcspn(clone, "@") : 0, clone ? clone : "", clone ? "]" : "");
	return n >= 0 && (size_t)n < n_bytes;
}

bool demangle(const char *symbol, char *name, size_t n_bytes)
{
	struct demangler d = {0};
	bool ok;

	if (strncmp(symbol, "_Z", 2))
		return false;
	d.pool = malloc(DEMANGLE_POOL_BYTES);
	ok = d.pool && run(&d, symbol, name, n_bytes);
	free(d.pool);
	return ok;
}
