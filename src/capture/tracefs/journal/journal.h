/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal.h - notes each change in the tracing directory before it is made, so that it can be
 * undone however the program ends.
 *
 *	journal_open          a file in /run/sonde, and a guardian process that waits for the
 *	                      owner's end
 *	    journal_set, journal_add_instance, journal_add_live … each writes a note, then makes the
 *	    change
 *	journal_undo          restores everything, newest first; or journal_keep: keep all changes
 *	journal_close         removes the file, unless something could not be undone; ends the
 *	                      guardian
 *
 * When the owner dies without journal_close(), the guardian undoes the changes that the file notes.
 * The guardian has its own session, so that a signal to the owner's process group does not reach
 * it. If both die, the next journal_open() on the machine undoes the changes.
 *
 * A journal belongs to one thread. journal_open() forks: call it before there are threads.
 */
#ifndef SONDE_CAPTURE_TRACEFS_JOURNAL_JOURNAL_H
#define SONDE_CAPTURE_TRACEFS_JOURNAL_JOURNAL_H

#include "capture/tracefs/tracefs.h"

struct journal;
struct livefile_id;

int journal_open(struct journal **ret_journal, const struct tracefs *t, struct errmsg *err);

/*
 * Creates an instance, which the journal removes at the end with all its settings. Returns -EEXIST
 * without a message if the instance exists.
 */
int journal_add_instance(struct journal *j, const char *name, struct errmsg *err);

/*
 * Notes the current contents of a file, for writes that journal_set() cannot do. Does nothing if
 * the file is in an instance of ours, is noted already, or does not exist.
 */
int journal_save(struct journal *j, const char *instance, const char *file, struct errmsg *err);
/* Calls journal_save() and tracefs_write(). */
int journal_set(struct journal *j, const char *instance, const char *file, const char *text,
		enum tracefs_how how, struct errmsg *err);

/*
 * Notes that sonde is about to define its event "GROUP/EVENT". The journal removes the event at the
 * end, when nothing uses it any more. Events that other programs define in the same file stay.
 * Returns -EEXIST if the event belongs to another program.
 */
int journal_add_probe(struct journal *j, const char *name, struct errmsg *err);

/*
 * Notes a trace file that is being recorded: livefile_repair_only() completes it if sonde cannot.
 */
int journal_add_live(struct journal *j, const char *path, const struct livefile_id *id,
		     struct errmsg *err);
/* Notes that the file is complete: journal_undo() ignores it from now on. */
void journal_end_live(struct journal *j, const struct livefile_id *id);

/*
 * Claims the top level for this process: features that exist only once cannot be shared. Returns
 * -EBUSY with a message that names the process that has it.
 */
int journal_take_top(struct journal *j, struct errmsg *err);

/*
 * Claims the kernel's error injection, which exists once, for this process: at the end the marks of
 * the process and its children are removed (taskmarks.h). Returns -EBUSY with a message that names
 * the process that has it.
 */
int journal_take_marks(struct journal *j, int pid, struct errmsg *err);

/* Returns the pid of the guardian process. */
int journal_guardian(const struct journal *j);

/*
 * Restores everything. Continues after a failure, which err describes. A change that could not be
 * undone stays noted: journal_close() tries once more and then leaves the journal to the next
 * sonde.
 */
int journal_undo(struct journal *j, struct errmsg *err);
/* Forgets all notes: the settings stay as they are now (record -k). */
void journal_keep(struct journal *j);
/* Undoes the remaining changes, and ends the guardian. j may be NULL. */
void journal_close(struct journal *j);

/*
 * Returns a message about changes that an earlier sonde left behind and that this sonde could not
 * undo either; NULL: none.
 */
const char *journal_left(const struct journal *j);

/*
 * Undoes the changes that dead owners left behind, and returns the number of their journals. A
 * change that cannot be undone stays noted; err says why.
 */
int journals_recover(const struct tracefs *t, struct errmsg *err);
/* Returns true if a living process owns the instance ("": the top level); *ret_pid is its pid. */
bool journals_find_owner(const char *instance, int *ret_pid);

#endif
