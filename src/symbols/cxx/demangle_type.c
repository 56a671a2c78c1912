// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demangle_type.c - types in symbols of C++.
 *
 *	i                 int
 *	PKc               char const*
 *	PFivE             int (*)()                  the star stands between the two texts of a function
 *	RA4_i             int (&) [4]
 *	St6vectorIiSaIiEE std::vector<int, std::allocator<int> >
 *
 * Every type that is not a word of the language, and not a substitution itself, can be referred to later: S_ is
 * the first of them, S0_ the second.
 */
#include "symbols/cxx/demangle_int.h"

#include <ctype.h>
#include <string.h>

/* --- types --------------------------------------------------------------------------------------- */

static const struct {
	char code;
	const char *text;
} builtins[] = {
	{'v', "void"},	      {'w', "wchar_t"},
	{'b', "bool"},	      {'c', "char"},
	{'a', "signed char"}, {'h', "unsigned char"},
	{'s', "short"},	      {'t', "unsigned short"},
	{'i', "int"},	      {'j', "unsigned int"},
	{'l', "long"},	      {'m', "unsigned long"},
	{'x', "long long"},   {'y', "unsigned long long"},
	{'n', "__int128"},    {'o', "unsigned __int128"},
	{'f', "float"},	      {'d', "double"},
	{'e', "long double"}, {'g', "__float128"},
	{'z', "..."},
};

static const struct {
	char code;
	const char *text;
} builtins_d[] = {{'n', "decltype(nullptr)"}, {'i', "char32_t"},  {'s', "char16_t"},
		  {'u', "char8_t"},	      {'a', "auto"},	  {'c', "decltype(auto)"},
		  {'h', "_Float16"},	      {'d', "decimal64"}, {'e', "decimal128"},
		  {'f', "decimal32"}};

static bool find_builtin(struct demangler *d, struct ctype *ret)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (demangler_take(d, builtins[i].code)) {
			*ret = (struct ctype){builtins[i].text, "", false};
			return true;
		}
	for (size_t i = 0; *d->p == 'D' && i < sizeof(builtins_d) / sizeof(*builtins_d); i++)
		if (d->p[1] == builtins_d[i].code) {
			d->p += 2;
			*ret = (struct ctype){builtins_d[i].text, "", false};
			return true;
		}
	return false;
}

/* P, R, O: of a function or an array it goes between the two texts. */
static bool point_to(struct demangler *d, const char *sign, struct ctype *t)
{
	t->left = t->is_inside ? demangler_fmt(d, "%s(%s", t->left, sign)
			       : demangler_fmt(d, "%s%s", t->left, sign);
	if (t->is_inside)
		t->right = demangler_fmt(d, *t->right == '[' ? ") %s" : ")%s", t->right);
	t->is_inside = false;
	return t->left && t->right;
}

/* Behind the F: result, parameters, E. */
static bool read_function(struct demangler *d, struct ctype *ret)
{
	struct ctype result;
	const char *types;

	demangler_take(d, 'Y');
	if (!demangler_type(d, &result))
		return false;
	types = demangler_types(d);
	if (!types || !demangler_take(d, 'E'))
		return false;
	*ret = (struct ctype){demangler_fmt(d, "%s ", result.left),
			      demangler_fmt(d, "(%s)%s", types, result.right), true};
	return ret->left && ret->right;
}

/* Behind the A: [number] _ element. */
static bool read_array(struct demangler *d, struct ctype *ret)
{
	const char *begin = d->p;
	size_t len = strspn(begin, "0123456789");
	struct ctype t;

	d->p += len;
	if (!demangler_take(d, '_') || !demangler_type(d, &t))
		return false;
	*ret = (struct ctype){t.is_inside ? t.left : demangler_fmt(d, "%s ", t.left),
			      demangler_fmt(d, "[%.*s]%s", (int)len, begin, t.right), true};
	return ret->left && ret->right;
}

/* Behind the M: the class, then the member. */
static bool read_member_pointer(struct demangler *d, struct ctype *ret)
{
	struct ctype class, t;
	const char *name;

	if (!demangler_type(d, &class) || !demangler_type(d, &t))
		return false;
	name = ctype_fmt(d, &class);
	name = name ? demangler_fmt(d, t.is_inside ? "%s::*" : " %s::*", name) : NULL;
	if (!name)
		return false;
	*ret = t;
	return point_to(d, name, ret);
}

/* r, V, K before a type stand behind it. */
static bool read_qualified(struct demangler *d, struct ctype *ret)
{
	bool is_restrict = demangler_take(d, 'r'), is_volatile = demangler_take(d, 'V'),
	     is_const = demangler_take(d, 'K');
	const char *words;

	if (!demangler_type(d, ret))
		return false;
	words = demangler_fmt(d, "%s%s%s", is_const ? " const" : "", is_volatile ? " volatile" : "",
			      is_restrict ? " __restrict" : "");
	if (!words)
		return false;
	if (ret->is_inside) /* of a method's type */
		ret->right = demangler_fmt(d, "%s%s", ret->right, words);
	else
		ret->left = demangler_fmt(d, "%s%s", ret->left, words);
	return ret->left && ret->right;
}

/* A template parameter or a substitution may be a template itself. */
static bool add_args(struct demangler *d, struct ctype *t, bool is_new)
{
	const char *name, *args;

	if (is_new && !demangler_add_sub(d, *t))
		return false;
	name = ctype_fmt(d, t);
	d->p++;
	args = name ? demangler_template_args(d) : NULL;
	name = args ? demangler_fmt(d, "%s%s", name, args) : NULL;
	*t = (struct ctype){name, "", false};
	return name && demangler_add_sub(d, *t);
}

static bool read_compound(struct demangler *d, struct ctype *ret)
{
	const char *name;

	switch (*d->p) {
	case 'P':
	case 'R':
	case 'O': {
		const char *sign = *d->p == 'P' ? "*" : *d->p == 'R' ? "&" : "&&";

		d->p++;
		return demangler_type(d, ret) && point_to(d, sign, ret);
	}
	case 'F':
		d->p++;
		return read_function(d, ret);
	case 'A':
		d->p++;
		return read_array(d, ret);
	case 'M':
		d->p++;
		return read_member_pointer(d, ret);
	case 'r':
	case 'V':
	case 'K':
		return read_qualified(d, ret);
	case 'u':
		d->p++;
		name = demangler_source_name(d);
		break;
	default:
		name = demangler_name(d);
	}
	*ret = (struct ctype){name, "", false};
	return name;
}

static bool read_any(struct demangler *d, struct ctype *ret)
{
	if (find_builtin(d, ret))
		return true;
	if (*d->p == 'T' && (d->p[1] == '_' || isdigit((unsigned char)d->p[1]))) {
		d->p++;
		if (!demangler_template_param(d, ret))
			return false;
		return *d->p == 'I' ? add_args(d, ret, true) : demangler_add_sub(d, *ret);
	}
	if (*d->p == 'S' && d->p[1] != 't') {
		d->p++;
		if (!demangler_substitution(d, ret))
			return false;
		return *d->p == 'I' ? add_args(d, ret, false) : true;
	}
	if (!strncmp(d->p, "Dp", 2)) {
		d->p += 2;
		return demangler_type(d, ret) && demangler_add_sub(d, *ret);
	}
	if (*d->p == 'D')
		return false;
	return read_compound(d, ret) && demangler_add_sub(d, *ret);
}

bool demangler_type(struct demangler *d, struct ctype *ret)
{
	bool ok = demangler_enter(d) && read_any(d, ret);

	d->depth--;
	return ok;
}

const char *demangler_types(struct demangler *d)
{
	const char *list = "";
	struct ctype t;

	while (*d->p && *d->p != 'E') {
		const char *text = demangler_type(d, &t) ? ctype_fmt(d, &t) : NULL;

		if (!text)
			return NULL;
		list = *list ? demangler_fmt(d, "%s, %s", list, text) : text;
		if (!list)
			return NULL;
	}
	return strcmp(list, "void") ? list : "";
}
