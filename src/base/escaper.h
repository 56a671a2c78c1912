/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escaper.h - makes text safe for a terminal: control characters become \xNN.
 *
 * Escaped are C0 (ESC, BEL, CR, NUL, …) except newline and tab, DEL, C1 (U+0080 to U+009F), and
 * every byte that is not part of valid UTF-8, because terminals treat 0x80 to 0x9f as C1. sonde's
 * own colours, a fixed set, are not escaped.
 *
 * Text comes in pieces of any size: a character or a colour that is split between two pieces is
 * held until the next one. One owner.
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

/*
 * The space that escaper_fmt() needs for len bytes: each may become \xNN, and so may the held ones.
 */
#define ESCAPER_ROOM(len) (4 * ((len) + ESCAPER_HELD_BYTES))

/*
 * Writes the safe form of s to out, which has ESCAPER_ROOM(len) bytes, and returns its length. The
 * result is not terminated. It allocates nothing: it also prints messages about lack of memory. A
 * zeroed escaper is a new one.
 */
size_t escaper_fmt(struct escaper *e, const char *s, size_t len, char *out);
/* The end: writes what is held, at most ESCAPER_ROOM(0) bytes. */
size_t escaper_flush(struct escaper *e, char *out);

#endif
