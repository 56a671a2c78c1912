/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_int.h - what journal.c, journal_undo.c and guardian.c share.
 */
#ifndef SONDE_CAPTURE_JOURNAL_INT_H
#define SONDE_CAPTURE_JOURNAL_INT_H

#include "capture/journal.h"

#include <sys/types.h>

enum note_kind { NOTE_INSTANCE, NOTE_FILE, NOTE_LIVE, NOTE_TOP, NOTE_PROBE, NOTE_MARKS };

struct note {
	enum note_kind kind;
	char *instance, *name; /* name: of the file, of the instance, a path; "PID SINCE" */
	char *text;	       /* what the file said */
};

struct notes {
	struct note *list;
	size_t n;
};

struct journal {
	struct tracefs t;
	char path[256];
	int fd; /* locked as long as the owner or its guardian lives */
	struct notes notes;
	bool has_top;
	pid_t guardian;
	int pipe; /* closing it tells the guardian that we are gone */
};

/* Reads a journal's notes; what is cut off at the end is left out: it was not acted upon yet. */
int notes_read(int fd, struct notes *ret_notes);
void notes_release(struct notes *notes);
/* Newest first; files last to be closed, see journal_undo.c. */
int notes_undo(const struct tracefs *t, const struct notes *notes, struct errmsg *err);
/* Only what somebody's open files kept from being removed: instances, then probes. */
int notes_remove(const struct tracefs *t, const struct notes *notes, struct errmsg *err);

/* Forks. The guardian's end of the pipe is closed in the parent. */
int guardian_start(struct journal *j, struct errmsg *err);
/* Tells it that all is done, and waits. */
void guardian_stop(struct journal *j);

#endif
