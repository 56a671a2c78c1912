/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - escapes control characters in text for a terminal, and prints sonde's own control
 * sequences.
 *
 * After terminal_guard(), all text that is printed to stdout and stderr, or written by
 * output_write(), is escaped if it goes to a terminal. Files and pipes get the bytes unchanged.
 */
#ifndef SONDE_CLI_SCREEN_TERMINAL_H
#define SONDE_CLI_SCREEN_TERMINAL_H

#include "base/escaper.h"

#include <stdio.h>

/*
 * Guards stdout and stderr. Call it at the start, and when their descriptors change. Returns 0 or
 * -errno.
 */
int terminal_guard(void);
/* Prints the remaining text. */
void terminal_release(void);

/*
 * Writes text to fd with control characters escaped; without an escaper, unchanged. Returns 0 or
 * -errno.
 */
int terminal_write(struct escaper *e, int fd, const char *s, size_t len);
/* Ends the text: writes an incomplete character, if there is one. */
int terminal_flush(struct escaper *e, int fd);

/*
 * Prints sonde's own control characters, such as a line that overwrites itself, or a cleared
 * screen. The formatted values must be ours, too: numbers, no names.
 */
void terminal_control(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define TERMINAL_CLEAR_SCREEN "\033[H\033[J"
#define TERMINAL_CLEAR_LINE   "\r\033[K"

/*
 * Opens a stream to a pager's pipe. All text is escaped, because it reaches a terminal. Returns
 * NULL if out of memory.
 */
FILE *terminal_open_pager(int fd);

#endif
