// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names.c - C++ names as uftrace shows them.
 *
 *	full      ns::Box<int>::get(char const*)
 *	simple    ns::Box::get            without parameters and template arguments (the default)
 *	raw       _ZN2ns3BoxIiE3getEPKc
 */
#include "base/arena.h"
#include "symbols/cxx/demangle.h"
#include "symbols/uftrace/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 8192

/* Operators whose names have brackets or parentheses. */
static size_t operator_length(const char *s)
{
	static const char *const words[] = {"operator<<=", "operator>>=", "operator<=>",
					    "operator<<",  "operator>>",  "operator->*",
					    "operator->",  "operator<=",  "operator>=",
					    "operator<",   "operator>",	  "operator()"};

	if (strncmp(s, "operator", 8))
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/* Removes "<…>" and "(…)" from a name, in place. */
static void strip_brackets(char *name)
{
	char *to = name;
	int depth = 0;

	for (const char *s = name; *s;) {
		size_t len = depth ? 0 : operator_length(s);

		if (len) {
			memmove(to, s, len);
			to += len;
			s += len;
			continue;
		}
		if (*s == '<' || *s == '(')
			depth++;
		else if ((*s == '>' || *s == ')') && depth)
			depth--;
		else if (!depth)
			*to++ = *s;
		s++;
	}
	*to = 0;
}

/* "Box::operator bool" is "Box::operator(cast)". */
static void shorten_cast(char *name)
{
	char *word = strstr(name, "operator ");

	if (word && strncmp(word, "operator new", 12) && strncmp(word, "operator delete", 15) &&
	    (word == name || word[-1] == ':'))
		snprintf(word, NAME_BYTES - (size_t)(word - name), "operator(cast)");
}

/* "main::{lambda#1}::operator()" is "main::$_0::operator()". */
static void shorten_lambdas(char *name)
{
	char *l;

	while ((l = strstr(name, "{lambda#"))) {
		char *end, number[32];
		unsigned long n = strtoul(l + 8, &end, 10);

		snprintf(number, sizeof(number), "$_%lu", n ? n - 1 : 0);
		end += *end == '}';
		if (strlen(number) > (size_t)(end - l))
			return;
		memcpy(l, number, strlen(number));
		memmove(l + strlen(number), end, strlen(end) + 1);
	}
}

/* A constructor that is inherited (CI1, CI2) has the name of the class that inherits it. */
static void rename_inherited(const char *raw, char *name)
{
	char *last = strstr(raw, "ECI1") || strstr(raw, "ECI2") ? strrchr(name, ':') : NULL;
	char *class = last && last - name > 1 ? last - 1 : NULL;
	size_t len;

	if (!class)
		return;
	while (class > name && class[-1] != ':')
		class --;
	len = (size_t)(last - 1 - class);
	if (last + 1 + len < name + NAME_BYTES) {
		memmove(last + 1, class, len);
		last[1 + len] = 0;
	}
}

/* "f [clone .isra.0]" is "f" for the simple form. */
static void strip_clone(char *name)
{
	char *clone = strstr(name, " [clone ");

	if (clone)
		*clone = 0;
}

const char *uft_name_shown(struct arena *a, const char *raw, enum uft_names_how how)
{
	char name[NAME_BYTES];
	bool is_shown = false;

	if (how == UFT_NAMES_FULL)
		is_shown = demangle_whole(raw, name, sizeof(name));
	else if (how == UFT_NAMES_SIMPLE)
		is_shown = demangle(raw, name, sizeof(name));
	if (!is_shown)
		return arena_strndup(a, raw, strlen(raw));
	if (how == UFT_NAMES_SIMPLE) {
		strip_clone(name);
		strip_brackets(name);
		shorten_cast(name);
		shorten_lambdas(name);
		rename_inherited(raw, name);
	}
	return arena_strndup(a, name, strlen(name));
}
