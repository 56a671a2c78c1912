/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * palette.h - the page's colours, for pictures and screens that the program draws itself.
 *
 * Boxes have classes, not colours, so that one picture works in both themes:
 *
 *	t0 … t285   tasks: hue and paleness by the name, modified by the PID
 *	s0 … s8     states, by number
 *	l0 … l63    labels, by the low bits of their number
 *	tick found missed counter
 *
 * A text with the same class is written on a box of that colour, in a readable text colour.
 */
#ifndef SONDE_VIEW_PICTURE_PALETTE_H
#define SONDE_VIEW_PICTURE_PALETTE_H

#include "base/textbuf.h"

#include <stdint.h>

#define PALETTE_TASKS  286
#define PALETTE_STATES 9
#define PALETTE_SPANS  64

enum palette_class {
	PALETTE_TASK = 0,
	PALETTE_STATE = PALETTE_TASK + PALETTE_TASKS,
	PALETTE_SPAN = PALETTE_STATE + PALETTE_STATES,
	PALETTE_TICK = PALETTE_SPAN + PALETTE_SPANS,
	PALETTE_FOUND,
	PALETTE_MISSED,
	PALETTE_COUNTER,
	PALETTE_N,
};

struct colour {
	uint8_t r, g, b;
};

/*
 * Returns the class of a task, from its name and PID. The idle task has none, because it is not
 * drawn.
 */
unsigned palette_task(const char *comm, size_t len, int pid);
/* Returns the colour of a class. */
struct colour palette_colour(unsigned class, bool is_dark);
/* Writes "t12" and returns buf. */
const char *palette_fmt_class(unsigned class, char buf[16]);
/* Adds rules for the used classes, each after a selector ("" or "[data-theme=dark] "). */
void palette_add_css(struct textbuf *out, const bool used[PALETTE_N], bool is_dark,
		     const char *selector);

#endif
