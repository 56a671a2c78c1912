// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_filter.c - parses and applies perf's filters of names.
 *
 *	or  := and { '|' and }
 *	and := not { '&' not }
 *	not := '!' not | '(' or ')' | GLOB
 *
 * A filter is short and used for a few thousand names, so it is parsed again for each name, with
 * one function per rule.
 */
#include "cli/as/perf_filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define GLOB_MAX  512
#define DEPTH_MAX 64

struct filter {
	const char *p;
	const char *name;
	const char *wrong;
	unsigned depth;
};

static bool read_or(struct filter *f);

static char peek(struct filter *f)
{
	while (isspace((unsigned char)*f->p))
		f->p++;
	return *f->p;
}

static bool refuse(struct filter *f)
{
	if (!f->wrong)
		f->wrong = f->p;
	return false;
}

static bool read_glob(struct filter *f)
{
	size_t len = strcspn(f->p, "!&|() \t\n");
	char glob[GLOB_MAX];

	if (!len || len >= sizeof(glob))
		return refuse(f);
	snprintf(glob, sizeof(glob), "%.*s", (int)len, f->p);
	f->p += len;
	return !fnmatch(glob, f->name, 0);
}

static bool read_not(struct filter *f)
{
	char c = peek(f);
	bool value;

	if (c != '!' && c != '(')
		return read_glob(f);
	if (++f->depth > DEPTH_MAX)
		return refuse(f);
	f->p++;
	if (c == '!') {
		value = !read_not(f);
	} else {
		value = read_or(f);
		if (peek(f) != ')')
			return refuse(f);
		f->p++;
	}
	f->depth--;
	return value;
}

static bool read_and(struct filter *f)
{
	bool value = read_not(f);

	while (!f->wrong && peek(f) == '&') {
		f->p++;
		value &= read_not(f);
	}
	return value;
}

static bool read_or(struct filter *f)
{
	bool value = read_and(f);

	while (!f->wrong && peek(f) == '|') {
		f->p++;
		value |= read_and(f);
	}
	return value;
}

const char *perf_filter_check(const char *filter)
{
	struct filter f = {.p = filter, .name = ""};

	read_or(&f);
	if (!f.wrong && peek(&f))
		refuse(&f);
	return f.wrong;
}

bool perf_filter_matches(const char *filter, const char *name)
{
	struct filter f = {.p = filter, .name = name};

	return read_or(&f);
}
