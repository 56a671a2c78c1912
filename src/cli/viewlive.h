/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * viewlive.h - a recording that goes on while it is looked at (view --live).
 *
 *	viewlive_record   a keeper and a recorder, in processes of their own; returns when the file stands
 *	viewlive_follow   a file that somebody else records
 *	viewlive_begin    before what is new is read, viewlive_done after it
 *	viewlive_end      ends our own recording, waits for it, removes what was temporary
 */
#ifndef SONDE_CLI_VIEWLIVE_H
#define SONDE_CLI_VIEWLIVE_H

#include "cli/recordopts.h"

#include <sys/types.h>

struct viewlive {
	pid_t keeper;	/* 0: somebody else records */
	int hold;	/* closed: the keeper ends the recording */
	int lock;	/* the file, to ask whether its recorder lives; -1: none */
	char *path;	/* of the file */
	char *temp_dir; /* that holds it, NULL: none */
	int dir;	/* the same, open */
	int status;	/* of the keeper, when it has ended */
};

/* o: checked, and with something to trace. argv: the command or NULL. */
int viewlive_record(struct viewlive *lv, struct record_options *o, char **argv, struct errmsg *err);
int viewlive_follow(struct viewlive *lv, const char *path, struct errmsg *err);
/* May it be read now? If so the recorder moves nothing before viewlive_done(). */
bool viewlive_begin(struct viewlive *lv, bool *ret_is_on);
void viewlive_done(struct viewlive *lv);
/* Returns the recorder's exit status, or 0. */
int viewlive_end(struct viewlive *lv);

#endif
