/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * escaper.h - makes text safe for a terminal: control characters become \xNN.
 *
 * Escaped are C0 (ESC, BEL, CR, NUL, …) except newline and tab, DEL, C1 (U+0080 to U+009F), and
 * every byte that is not part of valid UTF-8, because terminals treat 0x80 to 0x9f as C1. sonde's
 * own colours, a fixed set, are not escaped; a colour ends at the end of its line.
 *
 * Text comes in pieces of any size: a character or a colour that is split between two pieces is
 * held until the next one. Only one thread may use it at a time.
 */
#ifndef SONDE_BASE_ESCAPER_H
#define SONDE_BASE_ESCAPER_H

#include <stdbool.h>
#include <stddef.h>

/* All colours that sonde uses: escaper.c has the same list. */
#define ESCAPER_OFF	   "\x1b[0m"
#define ESCAPER_BOLD	   "\x1b[1m"
#define ESCAPER_DIM	   "\x1b[2m"
#define ESCAPER_RED	   "\x1b[31m"
#define ESCAPER_GREEN	   "\x1b[32m"
#define ESCAPER_YELLOW	   "\x1b[33m"
#define ESCAPER_CYAN	   "\x1b[36m"
/* uftrace's */
#define ESCAPER_MAGENTA	   "\x1b[35m"
#define ESCAPER_GREY	   "\x1b[90m"
#define ESCAPER_LIGHT_RED  "\x1b[91m"
#define ESCAPER_LIGHT_BLUE "\x1b[94m"

#define ESCAPER_HELD_BYTES 8

struct escaper {
	/* the beginning of a character or colour that is not complete yet */
	char held[ESCAPER_HELD_BYTES];
	unsigned n_held;
	bool is_coloured; /* a colour is active on this line */
};

/*
 * The space that escaper_fmt() needs for len bytes. Each byte, and each held byte, may become \xNN.
 * A newline may get the end of a colour before it.
 */
#define ESCAPER_ROOM(len) (4 * ((len) + ESCAPER_HELD_BYTES))

/*
 * Writes the safe form of s to out, which has ESCAPER_ROOM(len) bytes, and returns its length. The
 * result is not terminated. The function allocates nothing, because it also prints messages about
 * lack of memory. A zeroed struct escaper is ready for use.
 */
size_t escaper_fmt(struct escaper *e, const char *s, size_t len, char *out);
/* Writes the held bytes at the end of the text: at most ESCAPER_ROOM(0) bytes. */
size_t escaper_flush(struct escaper *e, char *out);

#endif
