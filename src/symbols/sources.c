// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sources.c - a table of source lines, sorted by function.
 *
 *	L 10 4 /home/me/prog.c     ─▶     {0x10, "/home/me/prog.c:4"}
 *
 * The text is of a file, so it is hostile: a line that is not of the form is skipped, and the table
 * has a ceiling. It is read once, when the first function of a program is shown, and then looked up
 * by bisection. If a function has several lines, any of them is shown.
 */
#include "symbols/sources.h"

#include "base/arena.h"
#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX	(1u << 20)
#define ARENA_MAX_BYTES (128u << 20)
#define PATH_MAX_BYTES	4096

struct source {
	uint64_t func;
	const char *text;
};

struct sources {
	struct source *list;
	size_t n, cap;
	struct arena arena;
};

struct sources *sources_new(void)
{
	struct sources *s = calloc(1, sizeof(*s));

	if (s)
		arena_init(&s->arena, ARENA_MAX_BYTES);
	return s;
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	free(s->list);
	free(s);
}

static int add(struct sources *s, const char *line)
{
	char text[PATH_MAX_BYTES + 16], *end;
	uint64_t func = strtoull(line + 2, &end, 16);
	unsigned number = *end == ' ' ? (unsigned)strtoul(end + 1, &end, 10) : 0;

	if (!number || *end != ' ' || !end[1])
		return 0;
	if (!ARRAY_ROOM(s->list, s->cap, s->n + 1, SOURCES_MAX))
		return -ENOMEM;
	snprintf(text, sizeof(text), "%.*s:%u", PATH_MAX_BYTES - 1, end + 1, number);
	s->list[s->n] = (struct source){func, arena_strndup(&s->arena, text, strlen(text))};
	if (!s->list[s->n].text)
		return -ENOMEM;
	s->n++;
	return 0;
}

ARRAY_ORDER(compare, struct source, COMPARE(x->func, y->func))

int sources_parse(struct sources *s, struct piece text)
{
	const char *p = (const char *)text.data, *end = p + text.len;
	char line[PATH_MAX_BYTES + 64];
	int r = 0;

	while (p < end && r >= 0) {
		const char *stop = memchr(p, '\n', end - p);
		size_t len = (stop ? stop : end) - p;

		if (len > 2 && len < sizeof(line) && p[0] == 'L' && p[1] == ' ') {
			memcpy(line, p, len);
			line[len] = '\0';
			r = add(s, line);
		}
		p += len + 1;
	}
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), compare);
	return r;
}

const char *sources_find(const struct sources *s, uint64_t func)
{
	struct source key = {.func = func};
	const struct source *found =
		s && s->n ? bsearch(&key, s->list, s->n, sizeof(key), compare) : NULL;

	return found ? found->text : NULL;
}
