// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * signature.c - compares the parameters of C++ functions with what a user writes.
 *
 *  written                   the symbol                                      both become
 *  (const char *, unsigned)  char const*, unsigned int                       charconst*,unsignedint
 *  (std::string)             std::__cxx11::basic_string<char, std::char_t…>  string
 *  (const Box &)             ns::Box const&                                  Boxconst&
 *  (vector<int>)             std::vector<int, std::allocator<int> >          vector<int>
 *
 * Both texts are converted to a common form, which is never shown, and compared. First a table
 * replaces texts; then namespaces are removed, "const" moves after its type, and blanks between
 * signs are removed. Two overloads that differ only in the namespace of a type both match; that is
 * accepted. Fixed-width numbers are those of 64-bit machines.
 */
#include "symbols/cxx/signature.h"

#include "base/array.h"
#include "symbols/cxx/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 4096

/*
 * --- the name ------------------------------------------------------------------------------------
 */

size_t signature_name_length(const char *name)
{
	static const char word[] = "operator";
	size_t len = strlen(name), at = len, n = strlen(word);
	int depth = 0;

	if (!len || name[len - 1] != ')')
		return len;
	do {
		at--;
		depth += name[at] == ')' ? 1 : name[at] == '(' ? -1 : 0;
	} while (at && depth);
	if (depth || !at || (at >= n && !strncmp(name + at - n, word, n) && at + 2 == len))
		return len; /* operator() */
	return at;
}

/*
 * --- one form ------------------------------------------------------------------------------------
 */

/*
 * Texts to replace, longer ones first. Blanks on the left are single, as the demangler writes them.
 */
static const struct {
	const char *from, *to;
} texts[] = {
	{"std::__cxx11::", "std::"},
	{"std::__1::", "std::"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
};

/* Whole words to replace. */
static const struct {
	const char *from, *to;
} words[] = {
	{"size_t", "unsigned long"},
	{"ssize_t", "long"},
	{"uint64_t", "unsigned long"},
	{"int64_t", "long"},
	{"uint32_t", "unsigned int"},
	{"int32_t", "int"},
	{"uint16_t", "unsigned short"},
	{"int16_t", "short"},
	{"uint8_t", "unsigned char"},
	{"int8_t", "signed char"},
	{"uintptr_t", "unsigned long"},
	{"intptr_t", "long"},
	{"struct", ""},
	{"class", ""},
	{"enum", ""},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Replaces every occurrence of from. Returns false if the result does not fit. */
static bool replace(char *text, const char *from, const char *to, bool whole_words)
{
	size_t n_from = strlen(from), n_to = strlen(to);

	for (char *p = text; (p = strstr(p, from));) {
		size_t rest = strlen(p + n_from) + 1;

		if (whole_words && ((p > text && is_word(p[-1])) || is_word(p[n_from]))) {
			p += n_from;
			continue;
		}
		if ((size_t)(p - text) + n_to + rest > TEXT_BYTES)
			return false;
		memmove(p + n_to, p + n_from, rest);
		memcpy(p, to, n_to);
		p += n_to;
	}
	return true;
}

/*
 * Returns the length of the argument that begins here. It ends at a comma or closing bracket
 * outside its own brackets.
 */
static size_t argument_length(const char *s)
{
	size_t len = 0;
	int depth = 0;

	for (; s[len]; len++) {
		if (!depth && strchr(",>)", s[len]))
			break;
		depth += strchr("<([", s[len]) ? 1 : strchr(">)]", s[len]) ? -1 : 0;
	}
	return len;
}

/*
 * Removes ", std::allocator<int> " as the last template argument, and similar defaults of
 * containers.
 */
static void drop_defaults(char *text)
{
	static const char *const defaults[] = {", std::allocator<", ", std::default_delete<",
					       ", std::char_traits<", ", std::less<"};

	for (size_t i = 0; i < ARRAY_LEN(defaults); i++)
		for (char *p; (p = strstr(text, defaults[i]));) {
			size_t len = 2 + argument_length(p + 2);

			memmove(p, p + len, strlen(p + len) + 1);
		}
}

/* Changes "ns::Box" to "Box". */
static void drop_namespaces(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == ':' && from[1] == ':') {
			while (to > text && is_word(to[-1]))
				to--;
			from++;
			continue;
		}
		*to++ = *from;
	}
	*to = 0;
}

/*
 * Changes "const char*" to "char const*": const moves after the words of the type and its template
 * arguments. Inner types come first.
 */
static void move_const(char *text)
{
	for (char *p = text + strlen(text); p-- > text;) {
		char *end = p + 6;

		if (strncmp(p, "const ", 6) ||
		    (p > text &&
		     (is_word(p[-1]) || (p[-1] == ' ' && p > text + 1 && p[-2] != ','))))
			continue; /* this const is already after its type */
		while (is_word(*end) || *end == ' ' || *end == '<') {
			if (*end == '<')
				end += 1 + argument_length(end + 1);
			end += *end != 0;
		}
		while (end > p + 6 && end[-1] == ' ')
			end--;
		memmove(p, p + 6, end - p - 6);
		memcpy(end - 6, " const", 6);
	}
}

/* Keeps one blank between words, and none elsewhere. "unsigned" alone becomes an int. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (!isspace((unsigned char)*from)) {
			*to++ = *from;
			continue;
		}
		while (isspace((unsigned char)from[1]))
			from++;
		if (to > text && is_word(to[-1]) && is_word(from[1]))
			*to++ = ' ';
	}
	*to = 0;
}

/* Replaces other names of number types. */
static bool name_numbers(char *text)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{"long unsigned int", "unsigned long"},
		{"long long unsigned int", "unsigned long long"},
		{"unsigned long long int", "unsigned long long"},
		{"unsigned long int", "unsigned long"},
		{"unsigned short int", "unsigned short"},
		{"short unsigned int", "unsigned short"},
		{"long long int", "long long"},
		{"long int", "long"},
		{"short int", "short"},
		{"signed int", "int"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!replace(text, rows[i].from, rows[i].to, true))
			return false;
	for (char *p = text; (p = strstr(p, "unsigned")); p += 8) {
		size_t rest = strlen(p + 8) + 1;

		if (is_word(p[8]) || (p > text && is_word(p[-1])) ||
		    (p[8] == ' ' && strncmp(p + 8, " const", 6)))
			continue;
		if (strlen(text) + 5 > TEXT_BYTES)
			return false;
		memmove(p + 12, p + 8, rest);
		memcpy(p + 8, " int", 4);
	}
	return true;
}

/* Converts a text to the common form. text has TEXT_BYTES of space. */
static bool settle(char *text)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!replace(text, texts[i].from, texts[i].to, false))
			return false;
	drop_defaults(text);
	drop_namespaces(text);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!replace(text, words[i].from, words[i].to, true))
			return false;
	move_const(text);
	squeeze(text);
	if (!name_numbers(text))
		return false;
	squeeze(text);
	if (!strcmp(text, "void"))
		*text = 0;
	return true;
}

/* Converts a name to the common form. Its namespaces are kept. */
static bool settle_name(const char *name, char *text)
{
	size_t len = strlen(name);

	if (len >= TEXT_BYTES)
		return false;
	memcpy(text, name, len + 1);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!replace(text, texts[i].from, texts[i].to, false))
			return false;
	drop_defaults(text);
	squeeze(text);
	move_const(text);
	squeeze(text);
	return replace(text, "std::basic_string<char>", "std::string", false) && name_numbers(text);
}

/*
 * --- the door ------------------------------------------------------------------------------------
 */

bool signature_is_template(const char *name)
{
	return strchr(name, '<') && !strstr(name, "operator");
}

bool signature_same_template(const char *have, const char *want)
{
	char a[TEXT_BYTES], b[TEXT_BYTES];
	size_t n_a, n_b;

	if (!settle_name(have, a) || !settle_name(want, b))
		return false;
	n_a = strlen(a);
	n_b = strlen(b);
	return n_a >= n_b && !strcmp(a + n_a - n_b, b) &&
	       (n_a == n_b || (n_a > n_b + 1 && !strncmp(a + n_a - n_b - 2, "::", 2)));
}

bool signature_fits(const char *parameters, const char *symbol)
{
	char want[TEXT_BYTES], have[TEXT_BYTES];
	size_t len = strlen(parameters);

	if (len < 2 || len - 2 >= sizeof(want) || !demangle_parameters(symbol, have, sizeof(have)))
		return false;
	snprintf(want, sizeof(want), "%.*s", (int)(len - 2), parameters + 1);
	return settle(want) && settle(have) && !strcmp(want, have);
}

bool signature_fmt(const char *symbol, char *text, size_t n_bytes)
{
	char have[TEXT_BYTES];
	int n;

	if (!demangle_parameters(symbol, have, sizeof(have)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (!replace(have, texts[i].from, texts[i].to, false))
			return false;
	drop_defaults(have);
	if (!replace(have, " >", ">", false))
		return false;
	n = snprintf(text, n_bytes, "(%s)", have);
	return n >= 0 && (size_t)n < n_bytes;
}
