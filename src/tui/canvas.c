// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * canvas.c - a grid of characters with colours.
 *
 * canvas_put() decodes UTF-8 itself, because the bytes of a trace may be anything: a byte that is
 * no part of a character, and every control character, is written as \xNN. Characters without
 * width (accents that combine, marks that change the direction of the text) become a question mark,
 * so that one line of a trace cannot rearrange the screen.
 */
#include "tui/canvas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX (4000u * 1000u)
#define TAB	  8
#define ROOM_MAX  3000 /* columns of a line; what is right of them is not shown */

int canvas_resize(struct canvas *c, unsigned width, unsigned height)
{
	struct canvas_cell *cells;

	if (!width || !height || width > CELLS_MAX / height)
		return -ENOMEM;
	cells = calloc((size_t)width * height, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	free(c->cells);
	*c = (struct canvas){width, height, cells};
	canvas_clear(c);
	return 0;
}

void canvas_release(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

void canvas_clear(struct canvas *c)
{
	for (size_t i = 0; i < (size_t)c->width * c->height; i++)
		c->cells[i] = (struct canvas_cell){L' ', STYLE_PLAIN};
}

struct canvas_cell *canvas_at(struct canvas *c, unsigned x, unsigned y)
{
	return x < c->width && y < c->height ? &c->cells[(size_t)y * c->width + x] : NULL;
}

void canvas_set(struct canvas *c, unsigned x, unsigned y, wchar_t ch, struct style style)
{
	struct canvas_cell *cell = canvas_at(c, x, y);

	if (cell)
		*cell = (struct canvas_cell){ch, style};
}

/* Decodes one character. Returns its length in bytes, or 0 if the bytes are no character. */
static size_t decode(const unsigned char *s, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = s[0] < 0x80	     ? 1
		   : s[0] >> 5 == 6  ? 2
		   : s[0] >> 4 == 14 ? 3
		   : s[0] >> 3 == 30 ? 4
				     : 0;
	uint32_t cp = n == 1 ? s[0] : n ? s[0] & (0x7f >> n) : 0;

	if (!n || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return 0;
	*ret = cp;
	return n;
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

unsigned canvas_put(struct canvas *c, unsigned x, unsigned y, unsigned room, const char *text,
		    size_t len, struct style style)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned used = 0;

	if (x >= c->width || y >= c->height)
		return 0;
	room = room < c->width - x ? room : c->width - x;
	while (len && used < room) {
		char escaped[8] = "";
		uint32_t cp = 0;
		size_t n = decode(s, len, &cp);
		int width = 1;

		if (n && (cp == '\n' || cp == '\t')) {
			unsigned stop = cp == '\t' ? TAB - used % TAB : 1;

			for (; stop && used < room; stop--)
				canvas_set(c, x + used++, y, L' ', style);
		} else if (!n || is_control(cp)) {
			snprintf(escaped, sizeof(escaped), "\\x%02x", n ? (unsigned)cp : s[0]);
			for (const char *e = escaped; *e && used < room; e++)
				canvas_set(c, x + used++, y, (wchar_t)*e, style);
		} else {
			width = cp < 0x7f ? 1 : wcwidth((wchar_t)cp);
			if (width < 1) {
				cp = '?';
				width = 1;
			}
			if (used + width > room)
				break;
			canvas_set(c, x + used++, y, (wchar_t)cp, style);
			if (width == 2)
				canvas_set(c, x + used++, y, 0, style);
		}
		n = n ? n : 1;
		s += n;
		len -= n;
	}
	return used;
}

void canvas_put_from(struct canvas *c, unsigned x, unsigned y, unsigned skip, const char *text,
		     size_t len, struct style style)
{
	struct canvas_cell cells[ROOM_MAX] = {0};
	struct canvas line = {ROOM_MAX, 1, cells};
	unsigned n = canvas_put(&line, 0, 0, ROOM_MAX, text, len, style);

	for (unsigned i = skip; i < n; i++)
		canvas_set(c, x + i - skip, y, cells[i].ch, cells[i].style);
}

unsigned canvas_puts(struct canvas *c, unsigned x, unsigned y, unsigned room, const char *text,
		     struct style style)
{
	return canvas_put(c, x, y, room, text, strlen(text), style);
}

void canvas_fill(struct canvas *c, unsigned x, unsigned y, unsigned n, wchar_t ch,
		 struct style style)
{
	for (unsigned i = 0; i < n; i++)
		canvas_set(c, x + i, y, ch, style);
}
