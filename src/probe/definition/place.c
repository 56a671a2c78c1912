// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * place.c - parses the place of a definition.
 *
 *	my:ev=bash:readline@readline.c:3
 *	└─┬─┘ └┬─┘ └──┬───┘ └───┬────┘ └ line of the function
 *	event  target function  source
 *
 * A colon has five meanings:
 *
 *	GROUP:EVENT=    before a '=' that comes before any of ; @ + %
 *	A::B            two colons are part of a C++ name
 *	X:25            only digits: a line; of a file if X looks like one ("fs/read_write.c"), else
 *	                of the function, counted from its first line
 *	X:anything      X is the target: a program, a library, a module, a system of events
 *	%PROVIDER:NAME  a mark in the program
 *
 * In a path (a word that begins with a slash or a dot) the characters ; @ + % have no meaning
 * before the colon. A plus sign begins an offset only before a digit, so that libstdc++.so.6:FUNC
 * is a target. A C++ "operator" includes the characters after it: ns::Box::operator+=, operator%,
 * operator().
 */
#include "base/array.h"
#include "base/scope.h"
#include "probe/definition/definition_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX (1u << 24)

/*
 * Returns the length of a name that 'sonde probe funcs' prints for a nameless function, with
 * characters that have a meaning elsewhere, or 0.
 */
static size_t skip_nameless(const char *s)
{
	static const char *const words[] = {"(anonymous namespace)", "{...}", "<lambda>"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(s, words[i], strlen(words[i])))
			return strlen(words[i]);
	return 0;
}

/*
 * Finds the end of a conversion such as "operator unsigned int": the end of the type after the
 * blank at pos, or 0 if it is none.
 */
static size_t skip_conversion(const char *text, size_t start, size_t pos)
{
	static const char *const more[] = {"unsigned", "signed", "long", "short", "const"};
	size_t len, at = pos;
	bool is_more = true;

	if (text[pos] != ' ' || pos - start < 9 || memcmp(text + pos - 9, ":operator", 9))
		return 0;
	while (is_more && text[at] == ' ' && (len = strcspn(text + at + 1, " \t(@%")) > 0 &&
	       strncmp(text + at + 1, "if ", 3)) {
		is_more = false;
		for (size_t i = 0; i < ARRAY_LEN(more); i++)
			is_more |= strlen(more[i]) == len && !strncmp(text + at + 1, more[i], len);
		at += 1 + len;
	}
	return at - pos;
}

/*
 * Returns the position of the first of these characters, except after a backslash. Stops at blanks
 * and '('.
 */
static size_t find_any(const char *text, size_t pos, const char *chars)
{
	size_t start = pos, len;

	for (; text[pos]; pos++) {
		if (text[pos] == '\\' && text[pos + 1])
			pos++;
		else if ((len = skip_nameless(text + pos)) > 0 ||
			 (len = skip_conversion(text, start, pos)) > 0)
			pos += len - 1;
		else if (text[pos] == ':' && text[pos + 1] == ':')
			pos++;
		else if (definer_is_blank(text[pos]) || text[pos] == '(' ||
			 strchr(chars, text[pos]))
			break;
	}
	return pos;
}

int definer_no_memory(struct definer *p)
{
	return errmsg_set(p->err, -ENOMEM, "not enough memory for the definition of a probe");
}

/*
 * --- names -------------------------------------------------------------------------------------
 */

/* Checks the name of an event or a group: a C identifier of a limited length. */
static int check_name(struct definer *p, size_t at, size_t end, const char *what)
{
	if (at == end)
		return definer_refuse(p, span_from(at, at + 1),
				      "the name of the %s is missing; omit its separator, too",
				      what);
	for (size_t i = at; i < end; i++)
		if (!definer_is_name_char(p->text[i]) ||
		    (i == at && !definer_is_name_start(p->text[i])))
			return definer_refuse_as(
				NAME, p, span_from(i, i + 1),
				"'%c' cannot %s the name of %s %s; use letters, digits and _",
				p->text[i], i == at ? "begin" : "be in",
				what[0] == 'e' ? "an" : "a", what);
	if (end - at > DEFINITION_NAME_MAX)
		return definer_refuse(p, span_from(at, end),
				      "the name of the %s can have at most %d bytes", what,
				      DEFINITION_NAME_MAX);
	return 0;
}

/* Parses [GROUP(:|/)]EVENT between at and end. */
int definer_names(struct definer *p, size_t at, size_t end)
{
	struct definition *d = p->d;
	size_t split = at;

	while (split < end && p->text[split] != ':' && p->text[split] != '/')
		split++;
	if (split < end) {
		TRY(check_name(p, at, split, "group"));
		d->group = arena_strndup(p->memory, p->text + at, split - at);
		if (!d->group)
			return definer_no_memory(p);
		at = split + 1;
	}
	TRY(check_name(p, at, end, "event"));
	d->event = arena_strndup(p->memory, p->text + at, end - at);
	d->event_span = span_from(at, end);
	return d->event ? 0 : definer_no_memory(p);
}

static bool is_path(const char *text)
{
	return text[0] == '/' || (text[0] == '.' && (text[1] == '/' || text[1] == '.')) ||
	       (text[0] == '~' && text[1] == '/');
}

/*
 * --- operators of C++ --------------------------------------------------------------------------
 */

/*
 * Operators of C++, longer ones first. Operators that are words, such as new and delete, need no
 * entry.
 */
static const char *const operators[] = {
	"<=>", "<<=", ">>=", "->*", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=",
	"|=",  "<<",  ">>",  "==",  "!=", "<=", ">=", "&&", "||", "->", "()", "[]", "+",
	"-",   "*",   "/",   "%",   "^",  "&",	"|",  "~",  "!",  "=",	"<",  ">",  ","};

static bool ends_in_operator(const char *text, size_t start, size_t end)
{
	static const char word[] = "operator";
	size_t len = strlen(word);

	return end - start >= len && !memcmp(text + end - len, word, len) &&
	       (end - start == len || strchr(":*", text[end - len - 1]));
}

/*
 * Returns true if the text can follow the name of a function: "operator++4" is operator+ at an
 * offset of 4.
 */
static bool is_name_over(const char *s)
{
	return !*s || definer_is_blank(*s) || strchr("(:;@%<", *s) ||
	       (*s == '+' && s[1] >= '0' && s[1] <= '9');
}

/*
 * Returns the end of the operator whose word ends at end, or end itself if there is none, as in
 * "operator+4" or "operator=work".
 */
static size_t skip_operator(const char *text, size_t start, size_t end)
{
	if (!ends_in_operator(text, start, end) ||
	    (text[end] == '+' && text[end + 1] >= '0' && text[end + 1] <= '9'))
		return end;
	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		size_t len = strlen(operators[i]);

		if (!strncmp(text + end, operators[i], len) && is_name_over(text + end + len))
			return end + len;
	}
	return end;
}

/* Finds "operator" that is followed by its first sign. */
static size_t find_operator(const char *text, size_t start, size_t end)
{
	for (size_t i = start; i < end; i++)
		if (ends_in_operator(text, start, i) && !definer_is_name_char(text[i]))
			return i;
	return end;
}

static int parse_names(struct definer *p)
{
	size_t end = find_any(p->text, p->pos, ";=@+%");
	int r;

	if (p->text[end] != '=' || is_path(p->text + p->pos) ||
	    memmem(p->text + p->pos, end - p->pos, "::", 2) ||
	    skip_operator(p->text, p->pos, end) != end)
		return 0; /* operator== of C++ is not the name of an event */
	r = definer_names(p, p->pos, end);
	p->pos = end + 1;
	return r;
}

/*
 * --- target ------------------------------------------------------------------------------------
 */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Returns true if a line number, or an attempt at one, follows the colon: names do not begin with a
 * digit.
 */
static bool is_line_next(const char *s)
{
	return is_digit(s[0]) && !(s[0] == '0' && (s[1] == 'x' || s[1] == 'X'));
}

/*
 * Finds the end of the target, which is the colon. '+' belongs to the name of a library unless it
 * begins an offset.
 */
static size_t find_target(const char *text, size_t start)
{
	size_t end = find_any(text, start, is_path(text + start) ? ":" : ":;@+%");

	while (text[end] == '+' && !is_digit(text[end + 1]))
		end = find_any(text, end + 1, ":;@+%");
	return end;
}

static int parse_target(struct definer *p)
{
	struct definition *d = p->d;
	size_t end = find_target(p->text, p->pos);

	if (p->text[end] != ':' || is_line_next(p->text + end + 1) || end == p->pos)
		return 0;
	d->target = definer_unescape(p, p->pos, end - p->pos);
	d->target_span = span_from(p->pos, end);
	p->pos = end + 1;
	if (!d->target)
		return definer_no_memory(p);
	if (!p->text[p->pos] || definer_is_blank(p->text[p->pos]) ||
	    (p->text[p->pos] == '(' && !skip_nameless(p->text + p->pos)))
		return definer_refuse(p, definer_here(p),
				      "nothing follows %s: name a function (%s:FUNCTION) or a "
				      "line (%s:LINE)",
				      d->target, d->target, d->target);
	return 0;
}

/*
 * --- marks -------------------------------------------------------------------------------------
 */

/* "@2" */
static int parse_mark_kind(struct definer *p)
{
	char *end;
	unsigned long n = strtoul(p->text + p->pos + 1, &end, 10);

	if (!is_digit(p->text[p->pos + 1]) || !n || n > 99)
		return definer_refuse(p, definer_here(p),
				      "after '@' comes the number of a kind of the mark's "
				      "places, 1, 2 …; the kinds differ in the types of the "
				      "arguments");
	p->d->mark_kind = (unsigned)n;
	p->pos = (size_t)(end - p->text);
	return 0;
}

/* Parses %PROVIDER:NAME or %NAME, and removes perf's prefix "sdt_" of the provider. */
static int parse_mark(struct definer *p)
{
	struct definition *d = p->d;
	size_t start = p->pos + 1, end = find_any(p->text, start, ":@");

	d->form = DEFINITION_MARK;
	if (!strncmp(p->text + start, "sdt_", 4))
		start += 4;
	if (p->text[end] == ':') {
		d->provider = definer_unescape(p, start, end - start);
		if (!d->provider)
			return definer_no_memory(p);
		start = end + 1;
		end = find_any(p->text, start, ":@");
	}
	d->function = definer_unescape(p, start, end - start);
	d->function_span = span_from(start, end);
	p->pos = end;
	if (!d->function)
		return definer_no_memory(p);
	if (!d->function[0] || (d->provider && !d->provider[0]))
		return definer_refuse(
			p, definer_here(p),
			"write a mark as %%PROVIDER:NAME, as in '%%libstdcxx:throw'; a "
			"register belongs among the arguments");
	if (p->text[end] == ':')
		return definer_refuse(p, definer_here(p),
				      "a mark has two names, %%PROVIDER:NAME, not three");
	return p->text[end] == '@' ? parse_mark_kind(p) : 0;
}

/*
 * --- function or file --------------------------------------------------------------------------
 */

static const char *last_suffix(const char *name)
{
	const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');

	return dot ? dot + 1 : NULL;
}

static bool is_source_suffix(const char *suffix)
{
	static const char *const list[] = {"c",	  "h",	 "cc",	"cpp", "cxx", "C",  "hpp",
					   "hh",  "hxx", "ipp", "tcc", "inc", "S",  "s",
					   "asm", "rs",	 "go",	"y",   "l",   "m",  "mm",
					   "f90", "f",	 "F90", "zig", "d",   "nim"};

	return ARRAY_ANY(ARRAY_LEN(list), i, !strcmp(suffix, list[i]));
}

/*
 * Returns true if the name looks like a file. Compilers append ".isra.0" or ".cold" to names of
 * functions; any other dot means a file.
 */
static bool looks_like_file(const char *name)
{
	const char *suffix = last_suffix(name);

	return suffix && !is_digit(suffix[0]) && strcmp(suffix, "cold");
}

static int check_function(struct definer *p, size_t at, size_t end)
{
	static const char allowed[] = "_.$~:<>*?[],&!=|^- ";

	for (size_t i = at; i < end; i++) {
		char c = p->text[i];

		if (c == '\\') {
			i++;
			continue;
		}
		if (skip_nameless(p->text + i)) {
			i += skip_nameless(p->text + i) - 1;
			continue;
		}
		if (definer_is_name_char(c) || (c & 0x80))
			continue;
		/* operators and templates of C++ may contain many signs, other names only few */
		if (strchr(allowed, c) &&
		    (strchr("_.$~:*?", c) || memchr(p->text + at, ':', i - at) ||
		     memchr(p->text + at, '<', i - at + 1) || strchr("[]", c)))
			continue;
		if (c == '/' && definer_is_blank(p->text[end]) && strchr(p->text + end, ':'))
			return definer_refuse(
				p, span_from(end, end + 1),
				"the kernel does not accept a path with a blank; give the "
				"program or library a path without one");
		return definer_refuse(
			p, span_from(i, i + 1),
			"'%c' cannot be in the name of a function; write arguments in "
			"parentheses after the name, and a backslash before a sign that is "
			"part of the name",
			c);
	}
	return 0;
}

/*
 * Skips template arguments, foo<int, char*>::bar: blanks and commas up to the closing '>' belong to
 * the name.
 */
static size_t skip_template(const char *text, size_t start, size_t end)
{
	size_t i = end;
	int depth = 0;

	for (size_t k = start; k < end; k++)
		depth += text[k] == '<' ? 1 : text[k] == '>' ? -1 : 0;
	if (depth <= 0)
		return end;
	for (; depth > 0 && text[i]; i++)
		depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
	return depth ? end : find_any(text, i, ";:+@%");
}

static int parse_address(struct definer *p)
{
	struct definition *d = p->d;
	size_t start = p->pos;

	d->has_address = true;
	if (!definer_number(p, &d->address) || find_any(p->text, p->pos, "") != p->pos)
		return definer_refuse_as(
			ADDRESS, p, span_from(start, find_any(p->text, start, "")),
			"this is no address; write 0x and up to 16 hexadecimal digits");
	d->function_span = span_from(start, p->pos);
	return 0;
}

/* Returns the end of the name that begins here. *ret_check is the end of its letters. */
static size_t find_name_end(const char *text, size_t start, size_t *ret_check)
{
	size_t end = find_any(text, start, ";:+@%");
	size_t word = find_operator(text, start, end), sign = skip_operator(text, start, word);

	if (sign > word) {
		*ret_check = word;
		return text[sign] == '<' ? skip_template(text, sign, find_any(text, sign, ";:+@%"))
					 : sign;
	}
	*ret_check = skip_template(text, start, end);
	return *ret_check;
}

static int parse_first(struct definer *p)
{
	struct definition *d = p->d;
	size_t start = p->pos, letters, end = find_name_end(p->text, start, &letters);
	const char *name, *suffix;

	if (end == start)
		return definer_refuse(p, definer_here(p),
				      "the name of a function is missing here; write FUNCTION "
				      "or SOURCE:LINE first");
	name = definer_unescape(p, start, end - start);
	if (!name)
		return definer_no_memory(p);
	p->pos = end;
	suffix = last_suffix(name);
	if ((p->text[end] == ':' || p->text[end] == ';') && looks_like_file(name)) {
		d->file = name;
		d->file_span = span_from(start, end);
		return 0;
	}
	if (suffix && is_source_suffix(suffix))
		return definer_refuse_as(FILE_ALONE, p, span_from(start, end),
					 "%s is a source file; say which line of it, as in %s:25",
					 name, name);
	d->function = name;
	d->function_span = span_from(start, end);
	return check_function(p, start, letters) < 0 ? p->err->code
						     : definition_parse_choice(p, start);
}

/*
 * --- what follows the name ---------------------------------------------------------------------
 */

static struct span part_span(const struct definer *p)
{
	size_t end = find_any(p->text, p->pos + 1, ";:+@%");

	return span_from(p->pos, end);
}

static int parse_line(struct definer *p)
{
	struct definition *d = p->d;
	struct span span = part_span(p);
	uint64_t line;

	span = span_from(span.at + 1, span.at + span.len);
	if (d->has_line)
		return definer_refuse(p, span, "the line is given twice; omit one");
	p->pos++;
	if (!definer_number(p, &line) || line > LINE_MAX || p->pos != span.at + span.len)
		return definer_refuse_as(LINE, p, span,
					 "this is no number of a line; write digits only");
	if (!d->function && !line)
		return definer_refuse(p, span,
				      "lines of a file count from 1; those of a function from "
				      "0, as in FUNCTION:0");
	d->line = line;
	d->has_line = true;
	d->line_span = span;
	return 0;
}

static int parse_offset(struct definer *p)
{
	struct definition *d = p->d;
	struct span span = part_span(p);

	span = span_from(span.at + 1, span.at + span.len);
	if (d->offset_span.len)
		return definer_refuse(p, span, "the offset is given twice; add them up");
	p->pos++;
	if (!definer_number(p, &d->offset) || p->pos != span.at + span.len)
		return definer_refuse_as(
			OFFSET, p, span,
			"this is no offset; after '+' comes a number of bytes, as in "
			"+36 or +0x24");
	d->offset_span = span;
	return 0;
}

static int parse_max_active(struct definer *p, struct span span)
{
	uint64_t n;

	if (!definer_number(p, &n) || !n || n > 4096)
		return definer_refuse(p, span,
				      "after %%return@ comes the number of calls that can be "
				      "active at once, from 1 to 4096");
	p->d->max_active = n;
	return 0;
}

static int parse_file(struct definer *p)
{
	struct definition *d = p->d;
	struct span span = part_span(p);

	span = span_from(span.at + 1, span.at + span.len);
	p->pos++;
	if (!span.len && p->text[p->pos] == '@') { /* sem_wait@@GLIBC_2.34, a symbol version */
		span = part_span(p);
		span = span_from(span.at + 1, span.at + span.len);
		p->pos++;
	}
	if (d->is_return && is_digit(p->text[p->pos]))
		return parse_max_active(p, span);
	if (!span.len)
		return definer_refuse(p, definer_here(p),
				      "the source file is missing after '@', as in "
				      "vfs_read@fs/read_write.c");
	if (d->is_return && !memchr(p->text + span.at, '.', span.len))
		return definer_refuse(
			p, span,
			"after %%return@ comes the number of calls that can be active at once, "
			"as in %%return@64");
	if (d->file)
		return definer_refuse_as(FILE_TWICE, p, span,
					 "the source file is given twice; leave one out");
	d->file = definer_unescape(p, span.at, span.len);
	d->file_span = span;
	p->pos = span.at + span.len;
	return d->file ? 0 : definer_no_memory(p);
}

static int parse_return(struct definer *p)
{
	struct span span = part_span(p);

	if (span.len != 7 || strncmp(p->text + span.at, "%return", 7))
		return definer_refuse_as(SUFFIX, p, span,
					 "after '%%' of a function only 'return' is known, as in "
					 "vfs_read%%return");
	p->d->is_return = true;
	p->d->return_span = span;
	p->pos = span.at + span.len;
	return 0;
}

/* Parses a pattern up to the next blank. Quotes keep blanks together. */
static int parse_pattern(struct definer *p)
{
	struct definition *d = p->d;
	size_t start = ++p->pos, end = start;
	char quote = p->text[start];

	if (quote == '"' || quote == '\'') {
		for (end = ++start; p->text[end] && p->text[end] != quote; end++)
			;
		if (!p->text[end])
			return definer_refuse(p, span_from(start - 1, start),
					      "the quote that opens here is not closed; add a %c",
					      quote);
		p->pos = end + 1;
	} else {
		while (p->text[end] && !definer_is_blank(p->text[end]))
			end += p->text[end] == '\\' && p->text[end + 1] ? 2 : 1;
		p->pos = end;
	}
	if (end == start)
		return definer_refuse(p, definer_here(p),
				      "the pattern is missing after ';', as in 'work;sum=*'");
	d->pattern = definer_unescape(p, start, end - start);
	d->line_span = span_from(start, end);
	return d->pattern ? 0 : definer_no_memory(p);
}

static int parse_parts(struct definer *p)
{
	static const struct {
		char sign;
		int (*parse)(struct definer *p);
	} parts[] = {
		{':', parse_line},   {'+', parse_offset},  {'@', parse_file},
		{'%', parse_return}, {';', parse_pattern},
	};

	for (;;) {
		size_t i = 0;

		while (i < ARRAY_LEN(parts) && parts[i].sign != p->text[p->pos])
			i++;
		if (i == ARRAY_LEN(parts))
			return 0;
		TRY(parts[i].parse(p));
		if (p->d->pattern)
			return 0;
	}
}

/* Refuses parts that are valid alone, but not together. */
static int check_parts(struct definer *p)
{
	const struct definition *d = p->d;

	if (d->pattern && d->has_line)
		return definer_refuse_as(
			LINE_AND_PATTERN, p, d->line_span,
			"a line and a pattern cannot stand together; leave one out");
	if ((d->has_line || d->pattern) && d->offset_span.len)
		return definer_refuse_as(
			LINE_AND_OFFSET, p, d->offset_span,
			"an offset counts from the function's entry and cannot stand "
			"with a line; leave one out");
	if (!d->function && d->offset_span.len)
		return definer_refuse_as(OFFSET_ALONE, p, d->offset_span,
					 "an offset needs a function before it: FUNCTION+OFFSET");
	if (!d->function && d->is_return)
		return definer_refuse(p, d->return_span,
				      "%%return needs a function before it: FUNCTION%%return");
	if (d->is_return && (d->has_line || d->pattern || d->offset))
		return definer_refuse_as(
			RETURN_INSIDE, p, d->offset ? d->offset_span : d->line_span,
			"a function returns as a whole: leave the line or offset out, "
			"or leave %%return out");
	return 0;
}

int definition_parse_place(struct definer *p)
{
	TRY(parse_names(p));
	if (p->text[p->pos] != '%')
		TRY(parse_target(p));
	if (p->text[p->pos] == '%')
		return parse_mark(p);
	if (!strncmp(p->text + p->pos, "0x", 2))
		return parse_address(p);
	TRY(parse_first(p));
	TRY(parse_parts(p));
	return check_parts(p);
}
