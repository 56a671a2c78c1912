/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escaper.h - makes text safe for a terminal: control characters become \xNN.
 *
 * Escaped are C0 (ESC, BEL, CR, NUL, …) except newline and tab, DEL, C1 (U+0080 to U+009F), and
 * every byte that is not part of valid UTF-8, because terminals take 0x80 to 0x9f for C1. sonde's own
 * colours, a fixed set, pass.
 *
 * Text comes in pieces of any size: a character or a colour that a piece cuts in two is held until
 * the next one. One owner.
 */
#ifndef SONDE_BASE_ESCAPER_H
#define SONDE_BASE_ESCAPER_H

#include <stddef.h>

/* All colours that sonde uses: escaper.c has the same list. */
#define ESCAPER_OFF	   "\x1b[0m"
#define ESCAPER_BOLD	   "\x1b[1m"
#define ESCAPER_DIM	   "\x1b[2m"
#define ESCAPER_RED	   "\x1b[31m"
#define ESCAPER_GREEN	   "\x1b[32m"
#define ESCAPER_YELLOW	   "\x1b[33m"
#define ESCAPER_CYAN	   "\x1b[36m"

#define ESCAPER_HELD_BYTES 8

struct escaper {
	char held[ESCAPER_HELD_BYTES]; /* the beginning of a character or colour */
	unsigned n_held;
};

/* Room that escaper_fmt() needs for len bytes: each may become \xNN, those that are held, too. */
#define ESCAPER_ROOM(len) (4 * ((len) + ESCAPER_HELD_BYTES))

/*
 * Writes the safe form of s to out, which has ESCAPER_ROOM(len) bytes, and returns its length. There is
 * no 0 at the end. Nothing is allocated: it also prints what is said when memory ran out.
 * An escaper of zeros is a new one.
 */
size_t escaper_fmt(struct escaper *e, const char *s, size_t len, char *out);
/* Nothing follows: writes what is held, ESCAPER_ROOM(0) bytes at most. */
size_t escaper_flush(struct escaper *e, char *out);

#endif
