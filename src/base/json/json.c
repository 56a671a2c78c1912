// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * json.c - escapes strings.
 *
 * Traces contain names of tasks and files, which may be any bytes. Valid UTF-8 is unchanged;
 * quotes, backslashes and control characters are escaped; a byte that is not part of valid UTF-8
 * is written as the character with that number (\u00XX), so no information is lost.
 */
#include "base/json/json.h"

/*
 * Returns the length of the valid UTF-8 sequence at s, or 0. Overlong forms and surrogates are
 * invalid.
 */
static size_t utf8_len(const uint8_t *s, size_t left)
{
	size_t n = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void add_escaped(struct textbuf *tb, uint8_t c)
{
	switch (c) {
	case '"':
		textbuf_add(tb, "\\\"", 2);
		return;
	case '\\':
		textbuf_add(tb, "\\\\", 2);
		return;
	case '\n':
		textbuf_add(tb, "\\n", 2);
		return;
	case '\t':
		textbuf_add(tb, "\\t", 2);
		return;
	}
	textbuf_add(tb, "\\u00", 4);
	textbuf_add(tb, number_hex_pairs + c * 2, 2);
}

void json_add_string(struct textbuf *tb, const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s, *end = p + len;

	textbuf_add_char(tb, '"');
	while (p < end) {
		const uint8_t *run = p;

		while (p < end && *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
			p++;
		textbuf_add(tb, (const char *)run, p - run);
		if (p < end) {
			size_t n = *p >= 0x80 ? utf8_len(p, end - p) : 0;

			if (n)
				textbuf_add(tb, (const char *)p, n);
			else
				add_escaped(tb, *p);
			p += n + !n;
		}
	}
	textbuf_add_char(tb, '"');
}

void json_add_hex(struct textbuf *tb, uint64_t v)
{
	textbuf_add(tb, "\"0x", 3);
	textbuf_add_hex(tb, v);
	textbuf_add_char(tb, '"');
}
