/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statusline.h - one line on standard error that is drawn again and again, and goes without a trace.
 *
 * Nobody else may write to the terminal while the line stands there: a command that is recorded shares
 * it with us, so the line is only for recordings without a command. What we print ourselves meanwhile
 * comes after statusline_clear().
 */
#ifndef SONDE_CLI_SCREEN_STATUSLINE_H
#define SONDE_CLI_SCREEN_STATUSLINE_H

#include <stdbool.h>

/* Standard error is a terminal, and we are in its foreground. */
bool statusline_is_ours(void);

/* Draws the line over the one before it, cut to the width of the terminal. Ours: numbers, no names. */
void statusline_show(const char *line);

/* Removes the line, and the ^C that Ctrl-C left at its end. Not beside a command. */
void statusline_clear(void);

/*
 * After Ctrl-C: what is printed next must not stand behind the terminal's ^C. With a command the line
 * may be half its output, which stays.
 */
void statusline_end_interrupt(int signal, bool ran_command);

#endif
