/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_int.h - internal interface of journal.c, notes.c, undo.c and guardian.c.
 */
#ifndef SONDE_CAPTURE_TRACEFS_JOURNAL_JOURNAL_INT_H
#define SONDE_CAPTURE_TRACEFS_JOURNAL_JOURNAL_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/journal/journal.h"

#include <sys/types.h>

enum note_kind { NOTE_INSTANCE, NOTE_FILE, NOTE_LIVE, NOTE_TOP, NOTE_PROBE, NOTE_MARKS };

struct note {
	enum note_kind kind;
	char *instance, *name; /* name of the file or instance, a path, or "PID SINCE" */
	char *text;	       /* contents of the file; for a live file its id, or "" */
	bool is_done;	       /* the change is undone, or must not be tried again */
};

struct notes {
	struct note *list;
	size_t n, cap;
};

struct journal {
	struct tracefs t;
	char path[256];
	int fd; /* locked as long as the owner or its guardian lives */
	struct notes notes;
	bool has_top;
	pid_t guardian;
	/* pipe to the guardian; closing it tells the guardian that the owner has ended */
	int pipe;
	/* changes that an earlier owner left behind and that this owner could not undo */
	struct errmsg left;
};

/* --- notes.c --- */

int notes_add(struct notes *notes, enum note_kind kind, const char *instance, const char *name,
	      const char *text, size_t text_bytes);
bool notes_find(const struct notes *notes, enum note_kind kind, const char *instance,
		const char *name);
void notes_drop_done(struct notes *notes);
/* Adds the lines of a note. */
void note_fmt(struct textbuf *tb, enum note_kind kind, const char *instance, const char *name,
	      const char *text);
/* Formats the text of NOTE_LIVE into buf of LIVE_ID_BYTES; returns buf. */
#define LIVE_ID_BYTES 60
const char *live_id_fmt(const struct livefile_id *id, char *buf);
/* Parses the notes. The text may contain any bytes. On -ENOMEM *notes has the notes read so far. */
int notes_parse(const char *text, size_t n_bytes, struct notes *notes);
/*
 * Writes the notes that are not done into the journal at path, so that the next sonde tries again;
 * removes the journal if all are done. The caller holds the lock of the directory. On failure the
 * journal stays as it is.
 */
void notes_leave(const struct notes *notes, const char *path);

/*
 * Reads the notes of a journal. A note that is truncated at the end is ignored: its change was not
 * made yet.
 */
int notes_read(int fd, struct notes *ret_notes);
void notes_release(struct notes *notes);
/* Undoes the notes in the order that undo.c explains, and marks them as done. */
int notes_undo(const struct tracefs *t, struct notes *notes, struct errmsg *err);
/* Removes only instances, and then probes, that open files of other programs kept busy. */
int notes_remove(const struct tracefs *t, struct notes *notes, struct errmsg *err);
/* Calls notes_leave() with the lock of the journal's directory. */
void journal_leave(const struct notes *notes, const char *path);

/* Forks the guardian. The parent closes the guardian's end of the pipe. */
int guardian_start(struct journal *j, struct errmsg *err);
/* Tells the guardian that all is done, and waits for its end. */
void guardian_stop(struct journal *j);

#endif
