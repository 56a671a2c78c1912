/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * front.h - how a live run reaches the user. The room live prints nothing: the command supplies these.
 *
 * All are called in the thread that runs the trace.
 */
#ifndef SONDE_LIVE_FRONT_H
#define SONDE_LIVE_FRONT_H

#include <stdbool.h>

struct live_front {
	/* A note or a warning: one sentence, without a newline. */
	void (*tell)(const char *sentence);
	/* How it goes: one line, without a newline. */
	void (*say)(const char *line);
	/* The run has ended, perhaps by Ctrl-C, whose ^C stands on the terminal. */
	void (*end_interrupt)(int signal, bool ran_command);
};

#endif
