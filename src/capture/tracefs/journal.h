/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - what was changed in the tracing directory, written down before it is changed, so that it
 * is put back however the program ends.
 *
 *	journal_open          a file in /run/sonde, and a guardian process that waits for our end
 *	    journal_set, journal_add_instance, journal_add_live … each notes, then changes
 *	journal_undo          puts everything back, newest first; or journal_keep: it stays as it is
 *	journal_close         the file is gone, unless something could not be undone; the guardian, too
 *
 * When the owner dies without journal_close(), the guardian undoes what the file says: it is another
 * process in a session of its own, so that a signal to the owner's process group does not reach it. If
 * both die, the next journal_open() on the machine does it.
 *
 * A journal belongs to one thread. journal_open() forks: call it before there are threads.
 */
#ifndef SONDE_CAPTURE_TRACEFS_JOURNAL_H
#define SONDE_CAPTURE_TRACEFS_JOURNAL_H

#include "capture/tracefs/tracefs.h"

struct journal;
struct livefile_id;

int journal_open(struct journal **ret_journal, const struct tracefs *t, struct errmsg *err);

/* Makes an instance that is removed in the end, with all its settings. -EEXIST without a sentence. */
int journal_add_instance(struct journal *j, const char *name, struct errmsg *err);

/*
 * Notes what the file says now, unless it goes with an instance of our own, or is noted already, or does not
 * exist. For writes that journal_set() cannot make.
 */
int journal_save(struct journal *j, const char *instance, const char *file, struct errmsg *err);
/* journal_save() and tracefs_write(). */
int journal_set(struct journal *j, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err);

/*
 * Notes that an event of ours, "GROUP/EVENT", is about to be defined; it is removed in the end, when
 * nothing uses it any more. What others define in the same file is left alone; -EEXIST if it is theirs.
 */
int journal_add_probe(struct journal *j, const char *name, struct errmsg *err);

/* A trace file that is being recorded: livefile_repair_only() finishes it if we cannot. */
int journal_add_live(struct journal *j, const char *path, const struct livefile_id *id,
		     struct errmsg *err);
/* It is finished: journal_undo() does not look at it any more. */
void journal_end_live(struct journal *j, const struct livefile_id *id);

/*
 * Claims the top level for us, as two cannot use what exists only once. -EBUSY with a sentence that
 * names the process that has it.
 */
int journal_take_top(struct journal *j, struct errmsg *err);

/*
 * Claims the kernel's error injection, which exists once, for this process: in the end its marks and those of
 * its children are taken off (taskmarks.h). -EBUSY with a sentence that names the process that has it.
 */
int journal_take_marks(struct journal *j, int pid, struct errmsg *err);

/* The number of the guardian process. */
int journal_guardian(const struct journal *j);

/*
 * Puts everything back; goes on after a failure, whose sentence is in err. What failed stays noted: journal_close()
 * tries it once more and then leaves the journal to the next sonde.
 */
int journal_undo(struct journal *j, struct errmsg *err);
/* Forgets what was noted: the settings stay as they are now (record -k). */
void journal_keep(struct journal *j);
/* Undoes what was not undone, and ends the guardian. j may be NULL. */
void journal_close(struct journal *j);

/* What an earlier sonde left behind and could not be undone now either, a sentence; NULL: nothing. */
const char *journal_left(const struct journal *j);

/* Undoes what dead owners left behind; how many journals there were. What cannot be undone stays; err says why. */
int journals_recover(const struct tracefs *t, struct errmsg *err);
/* True if a living process owns the instance ("": the top level); its number in *ret_pid. */
bool journals_find_owner(const char *instance, int *ret_pid);

#endif
