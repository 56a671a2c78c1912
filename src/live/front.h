/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front.h - functions with which a live run reaches the user. The room live prints nothing; the
 * command supplies these functions.
 *
 * The thread that runs the trace calls them.
 */
#ifndef SONDE_LIVE_FRONT_H
#define SONDE_LIVE_FRONT_H

#include <stdbool.h>

struct live_front {
	/* Prints a note or a warning: one sentence, without a newline. */
	void (*tell)(const char *sentence);
	/* Prints one line about the progress, without a newline. */
	void (*say)(const char *line);
	/* Called when the run has ended, perhaps by Ctrl-C, so that ^C may be on the terminal. */
	void (*end_interrupt)(int signal, bool ran_command);
};

#endif
