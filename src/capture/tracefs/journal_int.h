/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_int.h - what journal.c, journal_notes.c, journal_undo.c and guardian.c share.
 */
#ifndef SONDE_CAPTURE_TRACEFS_JOURNAL_INT_H
#define SONDE_CAPTURE_TRACEFS_JOURNAL_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/journal.h"

#include <sys/types.h>

enum note_kind { NOTE_INSTANCE, NOTE_FILE, NOTE_LIVE, NOTE_TOP, NOTE_PROBE, NOTE_MARKS };

struct note {
	enum note_kind kind;
	char *instance, *name; /* name: of the file, of the instance, a path; "PID SINCE" */
	char *text;	       /* what the file said; of a live file its id, or "" */
	bool is_done;	       /* undone, or not to be tried again */
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
	int pipe;	    /* closing it tells the guardian that we are gone */
	struct errmsg left; /* what an earlier owner left behind and we could not undo either */
};

/* --- journal_notes.c --- */

int notes_add(struct notes *notes, enum note_kind kind, const char *instance, const char *name,
	      const char *text, size_t text_bytes);
bool notes_find(const struct notes *notes, enum note_kind kind, const char *instance,
		const char *name);
void notes_drop_done(struct notes *notes);
/* Adds the lines of a note. */
void note_fmt(struct textbuf *tb, enum note_kind kind, const char *instance, const char *name,
	      const char *text);
/* The text of NOTE_LIVE; buf of LIVE_ID_BYTES is returned. */
#define LIVE_ID_BYTES 60
const char *live_id_fmt(const struct livefile_id *id, char *buf);
/* False: it is none, as in journals of a sonde of old. */
bool live_id_parse(const char *text, struct livefile_id *ret);
/* Any bytes. -ENOMEM; what was read until then is in *notes. */
int notes_parse(const char *text, size_t n_bytes, struct notes *notes);
/*
 * The journal at path gets the notes that are not done, so that the next sonde tries again; if all are, it is
 * removed. The caller holds the lock of the directory. On failure the journal stays as it is.
 */
void notes_leave(const struct notes *notes, const char *path);

/* Reads a journal's notes; what is cut off at the end is left out: it was not acted upon yet. */
int notes_read(int fd, struct notes *ret_notes);
void notes_release(struct notes *notes);
/* In the order that journal_undo.c explains; what is undone is marked as done. */
int notes_undo(const struct tracefs *t, struct notes *notes, struct errmsg *err);
/* Only what somebody's open files kept from being removed: instances, then probes. */
int notes_remove(const struct tracefs *t, struct notes *notes, struct errmsg *err);
/* notes_leave() with the lock of the journal's directory. */
void journal_leave(const struct notes *notes, const char *path);

/* Forks. The guardian's end of the pipe is closed in the parent. */
int guardian_start(struct journal *j, struct errmsg *err);
/* Tells it that all is done, and waits. */
void guardian_stop(struct journal *j);

#endif
