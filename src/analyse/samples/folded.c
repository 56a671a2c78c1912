// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * folded.c - parses folded stacks.
 *
 * A line ends with a blank and the weight; a line of a difference has two weights, of which the
 * last one counts. Some writers print fractions, which are dropped. Names may have blanks and any
 * other character but the semicolon.
 */
#include "analyse/samples/folded.h"

#include "analyse/samples/sampleset.h"

#include <string.h>

struct line {
	const char *start;
	size_t len; /* of the stack, without weights */
	uint64_t weight;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes a number and the blanks before it from the end of a text. */
static bool take_number(const char *start, size_t *len, uint64_t *ret)
{
	size_t end = *len, at = end;
	uint64_t v = 0;

	while (at && (is_digit(start[at - 1]) || start[at - 1] == '.'))
		at--;
	if (at == end || !at || (start[at - 1] != ' ' && start[at - 1] != '\t') || start[at] == '.')
		return false;
	for (size_t i = at; i < end && start[i] != '.'; i++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(start[i] - '0'), &v))
			return false;
	while (at && (start[at - 1] == ' ' || start[at - 1] == '\t'))
		at--;
	*len = at;
	*ret = v;
	return at > 0;
}

static bool parse_line(const char *start, size_t len, struct line *ret)
{
	uint64_t before;

	while (len && (start[len - 1] == '\r' || start[len - 1] == ' '))
		len--;
	*ret = (struct line){start, len, 0};
	if (!take_number(start, &ret->len, &ret->weight))
		return false;
	take_number(start, &ret->len, &before);
	return true;
}

static void add_stack(struct sampleset *set, const struct line *line)
{
	uint64_t places[SAMPLESET_STACK_MAX];
	struct sampleset_row row = {.weight = line->weight, .tgid = -1};
	const char *end = line->start + line->len;
	size_t n = 0;

	/* from the end: the innermost comes first */
	while (n < SAMPLESET_STACK_MAX && end > line->start) {
		const char *semicolon = memrchr(line->start, ';', (size_t)(end - line->start));
		const char *from = semicolon ? semicolon + 1 : line->start;

		if (end > from)
			places[n++] = sampleset_name(set, from, (size_t)(end - from));
		if (!semicolon)
			break;
		end = semicolon;
	}
	row.n = 1;
	if (n && line->weight)
		sampleset_add(set, row, places, n);
}

static bool next_line(struct piece *text, const char **ret_start, size_t *ret_len)
{
	const uint8_t *end;

	if (!text->len)
		return false;
	end = memchr(text->data, '\n', text->len);
	*ret_start = (const char *)text->data;
	*ret_len = end ? (size_t)(end - text->data) : text->len;
	text->data += *ret_len + (end != NULL);
	text->len -= *ret_len + (end != NULL);
	return true;
}

static bool is_empty(const char *start, size_t len)
{
	return !len || *start == '#' || (len == 1 && *start == '\r');
}

uint64_t folded_parse(struct sampleset *set, struct piece text)
{
	uint64_t n_bad = 0;
	const char *start;
	size_t len;

	while (next_line(&text, &start, &len)) {
		struct line line;

		if (is_empty(start, len))
			continue;
		if (parse_line(start, len, &line))
			add_stack(set, &line);
		else
			n_bad++;
	}
	return n_bad;
}

bool folded_is(struct piece text)
{
	const char *start;
	size_t len;

	while (next_line(&text, &start, &len)) {
		struct line line;

		if (!is_empty(start, len))
			return parse_line(start, len, &line) && !memchr(start, '\0', len);
	}
	return false;
}
