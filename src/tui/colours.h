/* SPDX-License-Identifier: GPL-2.0-or-later */
/* colours.h - the page's colours on a terminal with few colours, or with none. */
#ifndef SONDE_TUI_COLOURS_H
#define SONDE_TUI_COLOURS_H

#include <stdint.h>

/*
 * Returns the terminal's colour that is nearest to that of a class of view/picture/palette.h, or
 * CANVAS_NO_COLOUR.
 */
int16_t colours_find(int n_colours, unsigned class);
/* Returns the colour of a text on a box of that colour. */
int16_t colours_ink(int n_colours, int16_t box);

#endif
