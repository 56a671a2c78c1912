// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * colours.c - the page's colours on a terminal.
 *
 *	256 colours   the nearest one of the cube of 6 × 6 × 6, or of the 24 greys
 *	8 or 16       the one of the six with the nearest hue; pale colours become white
 *	fewer         none
 *
 * The colours of the dark theme have a medium lightness, so boxes stand out on a black and on a
 * white terminal, and black text is readable on them.
 */
#include "tui/colours.h"

#include "tui/canvas.h"
#include "view/picture/palette.h"

#include <stdlib.h>

#define CUBE_FIRST 16
#define GREY_FIRST 232
#define PALE	   24 /* of 255: a smaller difference between the channels has no hue */

static int square(int v)
{
	return v * v;
}

static int distance(struct colour c, int r, int g, int b)
{
	return square(c.r - r) + square(c.g - g) + square(c.b - b);
}

static int nearest_step(int v)
{
	return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40;
}

static int16_t find_256(struct colour c)
{
	static const int steps[] = {0, 95, 135, 175, 215, 255};
	int r = nearest_step(c.r), g = nearest_step(c.g), b = nearest_step(c.b);
	int grey = ((c.r + c.g + c.b) / 3 - 3) / 10, level;

	grey = grey < 0 ? 0 : grey > 23 ? 23 : grey;
	level = 8 + 10 * grey;
	if (distance(c, level, level, level) < distance(c, steps[r], steps[g], steps[b]))
		return GREY_FIRST + grey;
	return CUBE_FIRST + 36 * r + 6 * g + b;
}

/* Bits of the eight colours: 1 red, 2 green, 4 blue. */
static int16_t find_8(struct colour c)
{
	int high = c.r > c.g ? c.r : c.g, low = c.r < c.g ? c.r : c.g, middle;

	high = high > c.b ? high : c.b;
	low = low < c.b ? low : c.b;
	if (high - low < PALE)
		return 7;
	middle = (high + low) / 2;
	return (c.r > middle) | (c.g > middle) << 1 | (c.b > middle) << 2;
}

int16_t colours_find(int n_colours, unsigned class)
{
	struct colour c = palette_colour(class, true);

	return n_colours >= 256 ? find_256(c) : n_colours >= 8 ? find_8(c) : CANVAS_NO_COLOUR;
}

int16_t colours_ink(int n_colours, int16_t box)
{
	if (n_colours < 8 || box == CANVAS_NO_COLOUR)
		return CANVAS_NO_COLOUR;
	/* blue is the only one of the eight that is too dark for black */
	return n_colours < 256 && box == 4 ? 7 : n_colours >= 256 ? 16 : 0;
}
