/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * endsignals.h - the signals that end a recording: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
 *
 *	endsignals_open    blocks the signals; the descriptor is readable after one of them
 *	endsignals_raise   ends the recording from inside, as if a signal had come
 *	endsignals_take    returns the signal; the next one ends the program at once
 *	endsignals_close   restores the usual effect of the signals
 *
 * Call endsignals_open() after the command's process was started and before there are threads: the
 * command then has the signal mask with which we were started, and our threads have ours.
 */
#ifndef SONDE_CAPTURE_RECORD_ENDSIGNALS_H
#define SONDE_CAPTURE_RECORD_ENDSIGNALS_H

#include <sys/types.h>

struct errmsg;

int endsignals_open(int *ret_fd, struct errmsg *err);
#define ENDSIGNALS_ASKED (-1) /* endsignals_raise() was called */

/*
 * Returns the signal, ENDSIGNALS_ASKED, or 0. Passes a signal on to the command (0: none) unless
 * the terminal has done so.
 */
int endsignals_take(int fd, pid_t command);
/* Ends the recording, but not the command. Any thread may call it. */
void endsignals_raise(void);
/* Closes *fd, which may be -1, and sets it to -1. */
void endsignals_close(int *fd);

#endif
