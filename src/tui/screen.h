/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.h - the terminal: starts and ends it, shows a canvas, reads keys. Only screen.c knows
 * ncurses.
 *
 *	screen_check ─▶ screen_open ─▶ screen_show, screen_read … ─▶ screen_close
 *
 * A process has one screen, because ncurses has global state. One thread uses it.
 */
#ifndef SONDE_TUI_SCREEN_H
#define SONDE_TUI_SCREEN_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "tui/canvas.h"

#define SCREEN_WIDTH_MIN  60
#define SCREEN_HEIGHT_MIN 16

struct screen;

/* Keys are characters of Unicode; others have numbers above them. */
enum screen_key {
	SCREEN_NOTHING = -1, /* no key is waiting */
	SCREEN_CLOSED = -2,  /* the terminal is gone */
	SCREEN_LEFT = 0x110000,
	SCREEN_RIGHT,
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_SHIFT_LEFT,
	SCREEN_SHIFT_RIGHT,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_BACKSPACE,
	SCREEN_DELETE,
	SCREEN_ENTER,
	SCREEN_BACK_TAB,
	SCREEN_F1,
	SCREEN_CLICK, /* at screen_pointer() */
	SCREEN_WHEEL_UP,
	SCREEN_WHEEL_DOWN,
	SCREEN_OTHER, /* a key that has no meaning here */
};
#define SCREEN_ESCAPE	    27
#define SCREEN_CTRL(letter) ((letter)&0x1f)

/*
 * Checks that input and output are a terminal that can show screens, and that it is large enough.
 * The message says what is missing.
 */
int screen_check(struct errmsg *err);

int screen_open(struct screen **ret, struct errmsg *err);
/* Restores the terminal. */
void screen_close(struct screen *s);
SCOPED_POINTER(struct screen, screen_close)

/* Asks the terminal for its size, and sets the canvas to it. Returns 0 or -ENOMEM. */
int screen_fit(struct screen *s, struct canvas *c);
/* Shows the canvas, with the cursor at x, y; x below 0: no cursor. */
void screen_show(struct screen *s, const struct canvas *c, int x, int y);
/* Returns the next key without waiting. */
int screen_read(struct screen *s);
void screen_pointer(const struct screen *s, unsigned *ret_x, unsigned *ret_y);
/* Returns the number of colours: 0, 8, 16, 256 or more. */
int screen_n_colours(const struct screen *s);
/* Returns true if the terminal shows the characters of UTF-8. */
bool screen_is_wide(const struct screen *s);

#endif
