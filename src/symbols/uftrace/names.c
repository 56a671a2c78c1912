// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * names.c - C++ names as uftrace shows them.
 *
 *	full      ns::Box<int>::get(char const*)
 *	simple    ns::Box::get            without parameters and template arguments (the default)
 *	raw       _ZN2ns3BoxIiE3getEPKc
 *
 * The simple form is made from the full one, by words that uftrace has in other forms. Compared
 * with uftrace for 70 000 names of libstdc++, LLVM, ICU, node and templates of all kinds
 * (tests/uftrace/names): what is left are type names of data whose template arguments uftrace shows
 * in part, and names that its demangler does not know (operator<=>).
 */
#include "base/arena.h"
#include "symbols/cxx/demangle.h"
#include "symbols/cxx/shorten.h"
#include "symbols/uftrace/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 8192

/* What stands before a name of something that the compiler has made. */
static const struct {
	const char *ours, *uftrace;
} prefixes[] = {
	{"vtable for ", "__vtable__"},
	{"typeinfo for ", "__typeinfo_name__"},
	{"typeinfo name for ", "__typeinfo__"},
	{"guard variable for ", "__guard_variable__"},
	{"VTT for ", "__VTT__"},
	{"construction vtable for ", "__construction_vtable__"},
	{"TLS init function for ", "TLS_init::"},
	{"TLS wrapper function for ", "TLS_wrap::"},
	{"non-virtual thunk to ", ""},
	{"virtual thunk to ", ""},
	{"covariant return thunk to ", ""},
	{"transaction clone for ", ""},
	/* the streams have short forms in mangled names */
	{"std::istream::", "std::basic_istream::"},
	{"std::ostream::", "std::basic_ostream::"},
	{"std::iostream::", "std::basic_iostream::"},
	{"std::string::", "std::basic_string<>::"},
};

/* Replaces n bytes at a place of the name. */
static void replace(char *name, char *at, size_t n, const char *by)
{
	size_t len = strlen(by), rest = strlen(at + n) + 1;

	if ((size_t)(at - name) + len + rest > NAME_BYTES)
		return;
	memmove(at + len, at + n, rest);
	memcpy(at, by, len);
}

static void replace_all(char *name, const char *word, const char *by)
{
	char *at = name;

	while ((at = strstr(at, word))) {
		replace(name, at, strlen(word), by);
		at += strlen(by);
	}
}

static void replace_prefixes(char *name)
{
	char *in = !strncmp(name, "construction vtable for ", 24) ? strstr(name, "-in-") : NULL;

	if (in)
		replace(name, name + 24, (size_t)(in + 4 - (name + 24)), "");
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i].ours, strlen(prefixes[i].ours)))
			replace(name, name, strlen(prefixes[i].ours), prefixes[i].uftrace);
}

/* A constructor of the short form of std::string. */
static void rename_string(const char *raw, char *name)
{
	if (!strncmp(raw, "_ZNSsC", 6))
		snprintf(name, NAME_BYTES, "std::basic_string<>::basic_string<>");
	else if (!strncmp(raw, "_ZNSsD", 6))
		snprintf(name, NAME_BYTES, "std::basic_string<>::~basic_string<>");
}

/* "Tag[abi:zz]::x" is "Tag::zz::x", and its constructor is "Tag::zz::zz". */
static void rename_tags(char *name)
{
	char *at = name;

	while ((at = strstr(at, "[abi:"))) {
		char *end = strchr(at, ']'), *class = at, tag[256];
		size_t n = end ? (size_t)(end - at) - 5 : sizeof(tag), len;

		if (n >= sizeof(tag) - 2)
			return;
		snprintf(tag, sizeof(tag), "::%.*s", (int)n, at + 5);
		while (class > name && class[-1] != ':')
			class --;
		len = (size_t)(at - class);
		end++;
		if (!strncmp(end, "::", 2)) {
			char *member = end + 2 + (end[2] == '~');

			if (!strncmp(member, class, len) && !member[len])
				replace(name, member, len, tag + 2);
		}
		replace(name, at, (size_t)(end - at), tag);
		at += strlen(tag);
	}
}

/* "MicroProps::{unnamed type#1}::f" is "MicroProps::f". */
static void drop_nameless(char *name)
{
	char *at;

	while ((at = strstr(name, "{unnamed type#"))) {
		char *end = strstr(at, "}::");

		if (!end)
			return;
		replace(name, at, (size_t)(end + 3 - at), "");
	}
}

/* "f() const::x" is "f::x"; "operator<< <…>" has a space. */
static void drop_words(char *name)
{
	size_t len;

	replace_all(name, " const::", "::");
	len = strlen(name);
	if (len > 6 && !strcmp(name + len - 6, " const"))
		name[len - 6] = 0;
	if (strstr(name, "operator\"\" "))
		*strchr(strstr(name, "operator\"\" "), ' ') = 0;
	len = strlen(name);
	if (len && name[len - 1] == ' ')
		name[len - 1] = 0;
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
	static const char *const kinds[] = {"ECI1", "ECI2", "ECI5", "CI1N", "CI2N", "CI5N"};
	bool is_inherited = false;
	char *last, *class;
	size_t len;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		is_inherited |= strstr(raw, kinds[i]) != NULL;
	last = is_inherited ? strrchr(name, ':') : NULL;
	class = last && last - name > 1 ? last - 1 : NULL;
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

static void simplify(const char *raw, char *name)
{
	strip_clone(name);
	replace_all(name, "(anonymous namespace)", "_GLOBAL__N_1");
	name[shorten_brackets(name, strlen(name))] = 0;
	drop_words(name);
	shorten_cast(name);
	shorten_lambdas(name);
	drop_nameless(name);
	rename_inherited(raw, name);
	rename_tags(name);
	replace_prefixes(name);
	rename_string(raw, name);
}

/* The short form of what stands behind the prefix of an initializer; destroyers have none. */
static bool show_initializer(const char *raw, char *name)
{
	static const char prefix[] = "_GLOBAL__sub_I_";
	size_t len = sizeof(prefix) - 1;

	if (strncmp(raw, prefix, len) || strncmp(raw + len, "_Z", 2) ||
	    !demangle(raw + len, name, NAME_BYTES))
		return false;
	simplify(raw + len, name);
	replace(name, name, 0, prefix);
	return true;
}

const char *uft_name_shown(struct arena *a, const char *raw, enum uft_names_how how)
{
	char name[NAME_BYTES];
	bool is_shown = false;

	if (!strncmp(raw, "_GLOBAL__", 9)) {
		is_shown = how == UFT_NAMES_SIMPLE && show_initializer(raw, name);
		return arena_strndup(a, is_shown ? name : raw, strlen(is_shown ? name : raw));
	}

	if (how == UFT_NAMES_FULL)
		is_shown = demangle_whole(raw, name, sizeof(name));
	else if (how == UFT_NAMES_SIMPLE)
		is_shown = demangle(raw, name, sizeof(name));
	if (!is_shown)
		return arena_strndup(a, raw, strlen(raw));
	if (how == UFT_NAMES_SIMPLE)
		simplify(raw, name);
	return arena_strndup(a, name, strlen(name));
}
