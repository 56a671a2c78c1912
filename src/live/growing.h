/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * growing.h - a recording that continues while the viewer shows it (view --live).
 *
 *	growing_record   starts a keeper and a recorder, in separate processes
 *	growing_wait     waits until the file exists; called by a server that has become the caller
 *	growing_follow   opens a file that another process records
 *	growing_begin    called before new data is read, growing_done after it
 *	growing_end      ends our own recording, waits for it, removes temporary files
 */
#ifndef SONDE_LIVE_GROWING_H
#define SONDE_LIVE_GROWING_H

#include "live/request.h"

#include <sys/types.h>

struct growing {
	pid_t keeper;	/* 0: another process records */
	int hold;	/* pipe to the keeper; when it is closed, the keeper ends the recording */
	int lock;	/* the file, read only, to query whether its recorder lives; -1: none */
	char *path;	/* path of the file */
	char *temp_dir; /* directory with the file, if it is temporary; NULL: none */
	int dir;	/* descriptor of temp_dir */
	int status;	/* exit status of the keeper, when it has ended */
	dev_t old_dev;	/* the file that the path named before the recording; 0: none */
	ino_t old_ino;
};

#define GROWING_NONE ((struct growing){.hold = -1, .lock = -1, .dir = -1})

/*
 * Starts a recording. o is checked, and has something to trace. argv is the command, or NULL.
 * record runs in a separate process, reports errors, and returns the exit status. When
 * growing_record() returns, a temporary file already exists and belongs to the caller.
 */
int growing_record(struct growing *lv, struct live_request *o, char **argv,
		   int (*record)(struct live_request *o, char **argv), struct errmsg *err);
/*
 * Waits for the file, and opens the path with our rights, so drop root's rights first. Returns
 * -ECANCELED if the recorder failed and reported the reason.
 */
int growing_wait(struct growing *lv, struct errmsg *err);
int growing_follow(struct growing *lv, const char *path, struct errmsg *err);
/*
 * Returns true if the file may be read now. Then the recorder moves no data before growing_done().
 */
bool growing_begin(struct growing *lv, bool *ret_is_on);
void growing_done(struct growing *lv);
/* Ends the recording. Returns the recorder's exit status, or 0. */
int growing_end(struct growing *lv);

#endif
