/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * growing.h - a recording that goes on while it is looked at (view --live).
 *
 *	growing_record   a keeper and a recorder, in processes of their own
 *	growing_wait     until the file stands; by a server that has become the caller
 *	growing_follow   a file that somebody else records
 *	growing_begin    before what is new is read, growing_done after it
 *	growing_end      ends our own recording, waits for it, removes what was temporary
 */
#ifndef SONDE_LIVE_GROWING_H
#define SONDE_LIVE_GROWING_H

#include "live/request.h"

#include <sys/types.h>

struct growing {
	pid_t keeper;	/* 0: somebody else records */
	int hold;	/* closed: the keeper ends the recording */
	int lock;	/* the file, read only, to ask whether its recorder lives; -1: none */
	char *path;	/* of the file */
	char *temp_dir; /* that holds it, NULL: none */
	int dir;	/* the same, open */
	int status;	/* of the keeper, when it has ended */
	dev_t old_dev;	/* what the path named before the recording; 0: nothing */
	ino_t old_ino;
};

#define GROWING_NONE ((struct growing){.hold = -1, .lock = -1, .dir = -1})

/*
 * o: checked, and with something to trace. argv: the command or NULL. record: called in a process of its own, says what
 * went wrong, and returns the exit status. A temporary file stands already
 * when it returns, and belongs to the caller.
 */
int growing_record(struct growing *lv, struct live_request *o, char **argv,
		   int (*record)(struct live_request *o, char **argv), struct errmsg *err);
/* Opens the path with the rights we have, so drop those of root first. -ECANCELED: the recorder failed, and said why. */
int growing_wait(struct growing *lv, struct errmsg *err);
int growing_follow(struct growing *lv, const char *path, struct errmsg *err);
/* May it be read now? If so the recorder moves nothing before growing_done(). */
bool growing_begin(struct growing *lv, bool *ret_is_on);
void growing_done(struct growing *lv);
/* Returns the recorder's exit status, or 0. */
int growing_end(struct growing *lv);

#endif
