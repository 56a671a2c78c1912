// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pauses.c - reads when user functions were switched off.
 *
 *	S 0 0 15141149460821 20100 0      all functions (0) are switched off (0) at this time
 *	S 0 1 15142160442007 20100 0      … on (1)
 *
 * The text is not trusted: times that go back are ignored.
 */
#include "symbols/pauses.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAUSES_MAX (1u << 20)
#define LINE_BYTES 128

static int add(struct pauses *p, const char *line)
{
	struct pause *last = p->n ? &p->list[p->n - 1] : NULL;
	unsigned long long ns;
	unsigned on;

	if (sscanf(line, "S 0 %u %llu", &on, &ns) != 2)
		return 0;
	if (last && (ns < last->from || (last->to != UINT64_MAX && ns < last->to)))
		return 0;
	if (on) {
		if (last && last->to == UINT64_MAX)
			last->to = ns;
		return 0;
	}
	if (last && last->to == UINT64_MAX)
		return 0;
	if (!ARRAY_ROOM(p->list, p->cap, p->n + 1, PAUSES_MAX))
		return -ENOMEM;
	p->list[p->n++] = (struct pause){ns, UINT64_MAX};
	return 0;
}

int pauses_parse(struct pauses *p, struct piece text)
{
	const char *at = (const char *)text.data, *end = at + text.len;
	char line[LINE_BYTES];
	int r = 0;

	while (at < end && r >= 0) {
		const char *stop = memchr(at, '\n', end - at);
		size_t len = (stop ? stop : end) - at;

		if (len > 2 && len < sizeof(line) && *at == 'S') {
			memcpy(line, at, len);
			line[len] = '\0';
			r = add(p, line);
		}
		at += len + 1;
	}
	return r;
}

void pauses_release(struct pauses *p)
{
	free(p->list);
	*p = (struct pauses){0};
}

/* The first one that ends after `from`. */
static size_t find_first(const struct pauses *p, uint64_t from)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->list[middle].to > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t pauses_overlap(const struct pauses *p, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = find_first(p, from); i < p->n && p->list[i].from < to; i++) {
		uint64_t a = p->list[i].from > from ? p->list[i].from : from;
		uint64_t b = p->list[i].to < to ? p->list[i].to : to;

		sum += b > a ? b - a : 0;
	}
	return sum;
}
