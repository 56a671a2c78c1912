/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * canvas.h - a grid of characters with colours, on which the screens draw.
 *
 * It knows no terminal: screen.h copies it to one, and tests read it. All text of a trace goes
 * through canvas_put(), which lets no control character pass: they become \xNN, as in the output
 * of other commands (base/escaper.h).
 */
#ifndef SONDE_TUI_CANVAS_H
#define SONDE_TUI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define CANVAS_NO_COLOUR (-1) /* the terminal's own */

enum canvas_look { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_REVERSE = 4, LOOK_UNDERLINE = 8 };

struct style {
	int16_t fg, bg; /* numbers of the terminal's colours, or CANVAS_NO_COLOUR */
	uint8_t look;	/* enum canvas_look */
};
#define STYLE_PLAIN   ((struct style){CANVAS_NO_COLOUR, CANVAS_NO_COLOUR, 0})
#define STYLE_LOOK(l) ((struct style){CANVAS_NO_COLOUR, CANVAS_NO_COLOUR, (l)})

struct canvas_cell {
	wchar_t ch; /* 0: the right half of a wide character */
	struct style style;
};

struct canvas {
	unsigned width, height;
	struct canvas_cell *cells;
};

/* Sets the size, and clears. Returns 0 or -ENOMEM. */
int canvas_resize(struct canvas *c, unsigned width, unsigned height);
void canvas_release(struct canvas *c);
void canvas_clear(struct canvas *c);

/* Returns a cell, or NULL if it is outside. */
struct canvas_cell *canvas_at(struct canvas *c, unsigned x, unsigned y);
void canvas_set(struct canvas *c, unsigned x, unsigned y, wchar_t ch, struct style style);

/*
 * Writes len bytes of UTF-8 in at most `room` columns from x on. Returns the number of columns. A
 * newline becomes a space, a tab up to eight.
 */
unsigned canvas_put(struct canvas *c, unsigned x, unsigned y, unsigned room, const char *text,
		    size_t len, struct style style);
/* Writes a line without its first `skip` columns, up to the right edge. */
void canvas_put_from(struct canvas *c, unsigned x, unsigned y, unsigned skip, const char *text,
		     size_t len, struct style style);
unsigned canvas_puts(struct canvas *c, unsigned x, unsigned y, unsigned room, const char *text,
		     struct style style);
/* Fills the rest of a line. */
void canvas_fill(struct canvas *c, unsigned x, unsigned y, unsigned n, wchar_t ch,
		 struct style style);

#endif
