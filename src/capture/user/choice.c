// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choice.c - the rules by which a user includes and excludes functions.
 *
 *	NAME@FILE   ─▶   a matcher for the name (glob or /regex/) and one for the image's file
 *	                 (glob)
 *
 * A rule is taken apart once. Most programs have thousands of functions and a rule or none, so the
 * common cases are decided without a pattern: no rule, and the glob "*". Names of C++ are
 * demangled only if a rule must look at them.
 */
#include "capture/user/choice.h"
#include "base/array.h"
#include "base/errmsg.h"
#include "symbols/cxx/demangle.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX  4096
#define NAME_BYTES 4096

struct userrule {
	char *name;   /* glob; NULL: any, or a regular expression */
	char *file;   /* glob; NULL: the program itself */
	char *source; /* glob of the last parts of a source file's path; NULL: any */
	regex_t regex;
	bool has_regex, is_exclude;
};

static void release_rule(struct userrule *r)
{
	free(r->name);
	free(r->file);
	free(r->source);
	if (r->has_regex)
		regfree(&r->regex);
}

/* The text between the slashes. */
static int set_regex(struct userrule *r, const char *text, size_t len, struct errmsg *err)
{
	char *copy = strndup(text, len), why[200];
	int code;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose functions");
	code = regcomp(&r->regex, copy, REG_EXTENDED | REG_NOSUB);
	if (code)
		regerror(code, &r->regex, why, sizeof(why));
	r->has_regex = !code;
	free(copy);
	return code ? errmsg_set_cause(err, -EINVAL, why, "cannot use /%.*s/ to choose functions",
				       (int)len, text)
		    : 0;
}

/*
 * Where FILE begins, or NULL. Inside a regular expression an @ is a letter like any other, but not
 * behind a slash.
 */
static const char *find_file(const char *text, const char **ret_slash)
{
	const char *slash = *text == '/' ? strstr(text + 1, "/@") : NULL, *at;

	if (*text == '/' && !slash)
		slash = strrchr(text + 1, '/');
	at = strrchr(slash ? slash : text, '@');
	*ret_slash = slash && (!slash[1] || slash[1] == '@') ? slash : NULL;
	return at ? at + 1 : NULL;
}

/* A source file, not a library: it has a directory, or the name of one. */
static bool is_source(const char *file)
{
	static const char *const ends[] = {".c",   ".cc",  ".cpp", ".cxx", ".C",  ".h",	  ".hh",
					   ".hpp", ".hxx", ".ipp", ".inc", ".rs", ".s",	  ".S",
					   ".y",   ".l",   ".d",   ".f90", ".m",  ".zig", ".adb"};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; i < ARRAY_LEN(ends) && dot; i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return strchr(file, '/');
}

/* NAME@FILE, NAME@SOURCE, NAME@FILE@SOURCE, NAME@@SOURCE; file: behind the last @. */
static int set_files(struct userrule *r, const char *text, const char *file, size_t *len)
{
	const char *before = NULL;

	if (!file)
		return 0;
	for (const char *p = text; p < file - 1; p++)
		before = *p == '@' ? p : before;
	if (is_source(file) || (before && before == file - 2)) {
		r->source = strdup(file);
		if (before) {
			*len = (size_t)(before - text);
			r->file = before + 1 < file - 1
					  ? strndup(before + 1, (size_t)(file - 2 - before))
					  : NULL;
		}
		return r->source ? 0 : -ENOMEM;
	}
	r->file = strdup(file);
	return r->file ? 0 : -ENOMEM;
}

/* fnmatch() takes a "[" without its end for a letter, which no name has. */
static bool has_open_bracket(const char *glob)
{
	for (; *glob; glob++) {
		if (*glob == '\\' && glob[1])
			glob++;
		else if (*glob == '[' && !(glob = strchr(glob[1] ? glob + 2 : glob + 1, ']')))
			return true;
	}
	return false;
}

static int parse_rule(struct userrule *r, const char *text, struct errmsg *err)
{
	const char *slash, *file = find_file(text, &slash);
	size_t len = file ? (size_t)(file - 1 - text) : strlen(text), name_len = len;

	if (!*text)
		return errmsg_set(err, -EINVAL,
				  "a rule that chooses functions is empty; use NAME, "
				  "a glob, or -u alone for all functions");
	if (!slash && has_open_bracket(text))
		return errmsg_set(err, -EINVAL,
				  "'%s' has a [ without ]; '\\[' is the letter itself", text);
	if (file && !*file)
		return errmsg_set(err, -EINVAL,
				  "'%s' names no library after the @; use NAME@LIBRARY", text);
	if (set_files(r, slash ? slash : text, file, &name_len) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot choose functions");
	if (!slash && file)
		len = name_len;
	if (slash)
		return set_regex(r, text + 1, slash - text - 1, err);
	if (!len || (len == 1 && *text == '*'))
		return 0;
	r->name = strndup(text, len);
	return r->name ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot choose functions");
}

int userchoice_add(struct userchoice *c, const char *text, bool is_exclude, struct errmsg *err)
{
	struct userrule rule = {.is_exclude = is_exclude};
	int r = parse_rule(&rule, text, err);

	if (r >= 0 && !ARRAY_ROOM(c->rules, c->cap, c->n_rules + 1, RULES_MAX))
		r = errmsg_set(err, -E2BIG, "more than %d rules to choose functions", RULES_MAX);
	if (r < 0) {
		release_rule(&rule);
		return r;
	}
	c->rules[c->n_rules++] = rule;
	return 0;
}

void userchoice_release(struct userchoice *c)
{
	for (size_t i = 0; i < c->n_rules; i++)
		release_rule(&c->rules[i]);
	free(c->rules);
	*c = (struct userchoice){0};
}

static unsigned count_slashes(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '/';
	return n;
}

/*
 * As many last parts of the path as the glob has; a glob with a slash at its end names a directory.
 */
static bool matches_source(const struct userrule *r, const char *source)
{
	unsigned n_parts = r->source ? count_slashes(r->source) : 0, n;
	size_t len = r->source ? strlen(r->source) : 0;
	const char *p = source;
	char glob[NAME_BYTES];

	if (!r->source)
		return true;
	if (!source)
		return false;
	if (r->source[len - 1] == '/') {
		snprintf(glob, sizeof(glob), "%s%s*", *r->source == '/' ? "" : "*/", r->source);
		return !fnmatch(glob, source, 0);
	}
	if (*r->source == '/')
		return !fnmatch(r->source, source, FNM_PATHNAME);
	for (n = count_slashes(source); n > n_parts; n--)
		p = strchr(p, '/') + 1;
	return !fnmatch(r->source, p, FNM_PATHNAME);
}

/* "libz" also names libz.so and libz.so.1.2, and libz-2.so. */
static bool matches_file(const struct userchoice *c, const struct userrule *r, const char *file)
{
	size_t len;

	if (!r->file) /* what is excluded without a file is excluded everywhere */
		return c->is_program || r->is_exclude;
	if (!fnmatch(r->file, file, 0))
		return true;
	len = strlen(r->file);
	return !strncmp(r->file, file, len) && (file[len] == '.' || file[len] == '-') &&
	       strstr(file + len, ".so");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Without rules that include, the program itself is chosen. */
static bool is_chosen_anyway(const struct userchoice *c)
{
	for (size_t i = 0; i < c->n_rules && !c->has_program; i++)
		if (!c->rules[i].is_exclude)
			return false;
	return c->is_program;
}

/* The C library and the loader call themselves all the time, for everybody. */
static bool is_basic(const char *file)
{
	static const char *const names[] = {"libc.so", "libc-", "ld-", "ld.so", "libpthread"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strncmp(file, names[i], strlen(names[i])))
			return true;
	return false;
}

bool userchoice_has_libcalls(const struct userchoice *c, const char *file)
{
	return c->is_program ? c->has_libcalls : c->has_nested && !is_basic(file);
}

bool userchoice_wants(const struct userchoice *c, const char *path)
{
	const char *file = base_name(path);
	bool wants = is_chosen_anyway(c) || userchoice_has_libcalls(c, file);

	for (size_t i = 0; i < c->n_rules; i++)
		wants |= !c->rules[i].is_exclude && matches_file(c, &c->rules[i], file);
	return wants;
}

/* source: a buffer for the demangled name; its first byte is 0 until it is needed. */
static bool matches_name(const struct userrule *r, const char *symbol, char *source)
{
	if (!r->name && !r->has_regex)
		return true;
	if (r->has_regex ? !regexec(&r->regex, symbol, 0, NULL, 0) : !fnmatch(r->name, symbol, 0))
		return true;
	if (strncmp(symbol, "_Z", 2) && strncmp(symbol, "_R", 2))
		return false;
	if (!*source && !demangle(symbol, source, NAME_BYTES))
		return false;
	return r->has_regex ? !regexec(&r->regex, source, 0, NULL, 0)
			    : !fnmatch(r->name, source, 0);
}

/* The last rule that matches; NULL: none. */
static const struct userrule *find_rule(const struct userchoice *c, const char *file,
					const char *symbol, const char *from)
{
	char source[NAME_BYTES];

	*source = 0;
	for (size_t i = c->n_rules; i--;)
		if (matches_file(c, &c->rules[i], file) && matches_source(&c->rules[i], from) &&
		    matches_name(&c->rules[i], symbol, source))
			return &c->rules[i];
	return NULL;
}

bool userchoice_has_from(const struct userchoice *c, const char *file, const char *symbol,
			 const char *source, uint64_t n_bytes)
{
	const struct userrule *rule;

	if (n_bytes < c->min_bytes)
		return false;
	rule = find_rule(c, file, symbol, source);
	return rule ? !rule->is_exclude : is_chosen_anyway(c);
}

bool userchoice_has(const struct userchoice *c, const char *file, const char *symbol,
		    uint64_t n_bytes)
{
	return userchoice_has_from(c, file, symbol, NULL, n_bytes);
}

bool userchoice_matches(const struct userchoice *c, const char *file, const char *symbol,
			const char *source)
{
	struct userchoice any = *c;

	any.is_program = true;
	return find_rule(&any, file, symbol, source);
}

bool userchoice_names_sources(const struct userchoice *c)
{
	for (size_t i = 0; i < c->n_rules; i++)
		if (c->rules[i].source)
			return true;
	return false;
}

bool userchoice_has_libcall(const struct userchoice *c, const char *file, const char *symbol)
{
	const struct userrule *rule = find_rule(c, file, symbol, NULL);

	return !rule || !rule->is_exclude;
}
