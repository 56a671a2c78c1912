/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* linecursor.h - takes a line of text apart from left to right. */
#ifndef SONDE_INPUTS_FOREIGN_LINECURSOR_H
#define SONDE_INPUTS_FOREIGN_LINECURSOR_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct linecursor {
	const char *at, *end;
};

static inline void linecursor_skip_blanks(struct linecursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

static inline bool linecursor_take_text(struct linecursor *c, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, text, len))
		return false;
	c->at += len;
	return true;
}

/* False: there is no number, or one above max. */
static inline bool linecursor_take_number(struct linecursor *c, uint64_t max, uint64_t *ret)
{
	const char *start = c->at;
	uint64_t v = 0;

	for (; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
		v = v * 10 + (uint64_t)(*c->at - '0');
		if (v > max)
			return false;
	}
	*ret = v;
	return c->at > start;
}

#endif
