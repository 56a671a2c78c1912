// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * shorten.c - names of C++ and Rust without template arguments and parameters.
 *
 * A bracket does not always begin arguments:
 *
 *	Box::operator<            operators, which are listed here
 *	(anonymous namespace)::f  a namespace
 *	<T as Trait>::f           of Rust: an implementation, at the beginning of a name
 *	foo::<T>                  of Rust: arguments, together with the "::" before them
 *	fn() -> T                 of Rust: no end of anything
 */
#include "symbols/cxx/shorten.h"

#include "base/array.h"

#include <stdbool.h>
#include <string.h>

#define NAMELESS "(anonymous namespace)"

static bool begins(const char *s, size_t n, const char *word)
{
	size_t len = strlen(word);

	return n >= len && !memcmp(s, word, len);
}

/* Operators whose names have brackets or parentheses. */
static size_t operator_length(const char *s, size_t n)
{
	static const char *const words[] = {"operator<<=", "operator>>=", "operator<=>",
					    "operator<<",  "operator>>",  "operator->*",
					    "operator->",  "operator<=",  "operator>=",
					    "operator<",   "operator>",	  "operator()"};

	if (!begins(s, n, "operator"))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (begins(s, n, words[i]))
			return strlen(words[i]);
	return 0;
}

size_t shorten_brackets(char *name, size_t n)
{
	size_t to = 0;
	int depth = 0;

	for (size_t i = 0; i < n;) {
		size_t len = depth ? 0 : operator_length(name + i, n - i);

		if (len) {
			memmove(name + to, name + i, len);
			to += len;
			i += len;
			continue;
		}
		if (name[i] == '<' || name[i] == '(')
			depth++;
		else if ((name[i] == '>' || name[i] == ')') && depth)
			depth--;
		else if (!depth)
			name[to++] = name[i];
		i++;
	}
	return to;
}

/* What stays although it has brackets; its length. */
static size_t kept_length(const char *name, size_t i, size_t n)
{
	size_t len = operator_length(name + i, n - i);

	if (!len && begins(name + i, n - i, NAMELESS))
		len = strlen(NAMELESS);
	if (!len && begins(name + i, n - i, "->"))
		len = 2;
	/* an implementation of Rust: what is inside gets shorter, too */
	if (!len && !i && name[0] == '<')
		len = 1;
	return len;
}

/* "f(int) const" has become "f const", and "operator<< <char>" "operator<< ". */
static size_t without_rest(const char *name, size_t n)
{
	while (n > 6 && !memcmp(name + n - 6, " const", 6))
		n -= 6;
	return n > 1 && name[n - 1] == ' ' ? n - 1 : n;
}

size_t shorten_name(char *name, size_t n)
{
	bool is_inside = n && name[0] == '<'; /* the implementation has not ended */
	size_t to = 0;
	int depth = 0;

	for (size_t i = 0; i < n;) {
		size_t len = depth ? 0 : kept_length(name, i, n);
		char c = name[i];

		if (len) {
			memmove(name + to, name + i, len);
			to += len;
			i += len;
			continue;
		}
		if (!depth && c == '<' && to > 2 && !memcmp(name + to - 2, "::", 2))
			to -= 2;
		if (c == '<' || c == '(') {
			depth++;
		} else if ((c == '>' || c == ')') && depth) {
			depth -= c == ')' || name[i - 1] != '-';
		} else if (!depth && (c != '>' || is_inside)) {
			is_inside = is_inside && c != '>';
			name[to++] = c;
		}
		i++;
	}
	return to ? without_rest(name, to) : n;
}
