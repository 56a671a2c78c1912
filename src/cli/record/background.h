/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * background.h - a command that continues in the background after a successful start.
 *
 *	background_start     two processes; the first waits
 *	background_ready     in the second: the first ends with status 0
 *	background_end       in the second, in the end
 *
 * What goes wrong before background_ready() is told on the terminal, and is the first one's exit
 * status.
 */
#ifndef SONDE_CLI_RECORD_BACKGROUND_H
#define SONDE_CLI_RECORD_BACKGROUND_H

struct errmsg;

struct background {
	int fd;
	const char *pid_file;
};

/*
 * 0: continue, this is the second process. 1: this is the first, and *ret_status is its exit
 * status. Negative: there was no fork. pid_file may be NULL.
 */
int background_start(struct background *bg, const char *pid_file, int *ret_status,
		     struct errmsg *err);
void background_ready(struct background *bg);
void background_end(struct background *bg);

#endif
