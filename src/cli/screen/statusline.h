/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * statusline.h - one line on standard error that is redrawn, and removed at the end.
 *
 * No other program may write to the terminal while the line is shown. A recorded command shares the
 * terminal with us, so the line is only for recordings without a command. Before other messages are
 * printed, statusline_clear() removes the line.
 */
#ifndef SONDE_CLI_SCREEN_STATUSLINE_H
#define SONDE_CLI_SCREEN_STATUSLINE_H

#include <stdbool.h>

/* Returns true if standard error is a terminal, and we are in its foreground. */
bool statusline_is_ours(void);

/*
 * Draws the line over the previous one, truncated to the terminal. The line must contain only
 * numbers, no names.
 */
void statusline_show(const char *line);

/* Removes the line, and the ^C that Ctrl-C left at its end. Not for recordings with a command. */
void statusline_clear(void);

/*
 * Handles ^C on the terminal after Ctrl-C, so that the next message does not follow it on the same
 * line. With a command, the line may contain its output, which stays.
 */
void statusline_end_interrupt(int signal, bool ran_command);

#endif
