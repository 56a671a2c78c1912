// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * statusline.c - draws the status line on a terminal.
 *
 * A line as wide as the terminal would wrap, and "\r" returns only to its last row. So the line is
 * truncated, with room for the two characters that Ctrl-C leaves after it.
 */
#include "cli/screen/statusline.h"

#include "cli/screen/terminal.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT	80
#define INTERRUPT_CHARS 2 /* ^C */

bool statusline_is_ours(void)
{
	/* a process in the background must not disturb the terminal */
	return isatty(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static size_t width(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
									   : WIDTH_DEFAULT;
}

void statusline_show(const char *line)
{
	size_t len = strlen(line), most = width();

	most = most > INTERRUPT_CHARS ? most - INTERRUPT_CHARS - 1 : 0;
	terminal_control(stderr, "\r%.*s\033[K", (int)(len < most ? len : most), line);
}

void statusline_clear(void)
{
	if (statusline_is_ours())
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
}

void statusline_end_interrupt(int signal, bool ran_command)
{
	if (signal != SIGINT || !statusline_is_ours())
		return;
	if (ran_command)
		fputc('\n', stderr);
	else
		terminal_control(stderr, TERMINAL_CLEAR_LINE);
}
