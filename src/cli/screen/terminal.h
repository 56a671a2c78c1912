/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - what a terminal gets: text whose control characters are escaped, and sonde's own
 * control sequences.
 *
 * After terminal_guard() everything that is printed to stdout and stderr, and everything that
 * output_write() writes, is escaped if it goes to a terminal. Files and pipes get the bytes as they
 * are.
 */
#ifndef SONDE_CLI_SCREEN_TERMINAL_H
#define SONDE_CLI_SCREEN_TERMINAL_H

#include "base/escaper.h"

#include <stdio.h>

/* Guards stdout and stderr: before anything is printed, and when their descriptors change. 0 or -errno. */
int terminal_guard(void);
/* Prints what is left. */
void terminal_release(void);

/* Writes text to fd with control characters escaped; without an escaper, as it is. 0 or -errno. */
int terminal_write(struct escaper *e, int fd, const char *s, size_t len);
/* Nothing follows: writes the character that was cut in two, if there is one. */
int terminal_flush(struct escaper *e, int fd);

/*
 * Prints sonde's own control characters: a line that overwrites itself, a screen that is cleared. What
 * is formatted must be ours, too: numbers, no names.
 */
void terminal_control(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define TERMINAL_CLEAR_SCREEN "\033[H\033[J"
#define TERMINAL_CLEAR_LINE   "\r\033[K"

/*
 * A stream to a pager's pipe. All that is printed to it is escaped, since it ends on a terminal. NULL
 * without memory.
 */
FILE *terminal_open_pager(int fd);

#endif
