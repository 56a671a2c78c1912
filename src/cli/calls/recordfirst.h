/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recordfirst.h - record a command into a temporary file, for a command that reads a trace.
 *
 * Another sonde records: it gives up rights that this process still needs.
 */
#ifndef SONDE_CLI_CALLS_RECORDFIRST_H
#define SONDE_CLI_CALLS_RECORDFIRST_H

struct errmsg;

struct recordfirst {
	char dir[256]; /* empty: nothing to remove */
	char path[300];
	int wait_status; /* of the command, as from wait() */
};

/*
 * words: a command, or options of `sonde record` and a command. Without options it is -u. The file
 * belongs to the user who called sonde. Remove it on success, as soon as it is open.
 */
int recordfirst_run(struct recordfirst *rf, int n_words, char **words, struct errmsg *err);
void recordfirst_remove(struct recordfirst *rf);
/* mkdtemp() with the rights of the user who called sonde: 0 or -errno. */
int recordfirst_make_dir(char *template);

#endif
