/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - the kernel's tracing directory: where it is, its instances, its files by name.
 *
 * Every file is named by an instance ("" is the top level) and a path below it, as
 * tracefs_read(t, "", "events/sched/enable", …). Nothing is cached. What is changed here stays changed:
 * whoever must put things back afterwards writes through a journal (journal.h).
 *
 * A `struct tracefs` is read-only after tracefs_open() and may be used by several threads.
 */
#ifndef SONDE_CAPTURE_TRACEFS_TRACEFS_H
#define SONDE_CAPTURE_TRACEFS_TRACEFS_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

#define TRACEFS_PATH_MAX 1024
#define TRACEFS_NAME_MAX 256

struct tracefs {
	char root[TRACEFS_PATH_MAX]; /* "/sys/kernel/tracing" */
	bool is_ours;		     /* tracefs_open() mounted it */
};

enum tracefs_how {
	TRACEFS_SET,	/* what was in the file goes first (O_TRUNC) */
	TRACEFS_APPEND, /* what was in the file stays */
};

/*
 * Finds the tracing directory: $SONDE_TRACEFS, where it is mounted, else mounts it, which root may.
 * The sentence in err says what to do where none can be had (-ENOENT), or read (-EACCES), or where the
 * kernel is locked down (-EPERM).
 */
int tracefs_open(struct tracefs *t, struct errmsg *err);

/* False if it was unmounted since. */
bool tracefs_is_there(const struct tracefs *t);
/* The same, or where else it is mounted now; false: nowhere. */
bool tracefs_find_again(const struct tracefs *t, struct tracefs *ret);

/*
 * The path of a file, in buf of TRACEFS_PATH_MAX bytes; returns buf. Empty if it is too long, or if a name would
 * lead out of the tracing directory ("..", an instance with '/').
 */
char *tracefs_fmt_path(const struct tracefs *t, const char *instance, const char *file, char *buf);

bool tracefs_exists(const struct tracefs *t, const char *instance, const char *file);

/* Adds the whole file to *out, not ended by NUL. Negative errno; no sentence. */
int tracefs_read(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out);
/* A short one without its last newline, ended by NUL; the length, or negative. */
int tracefs_read_short(const struct tracefs *t, const char *instance, const char *file, char *buf,
		       size_t n_bytes);
/* The whole file, ended by NUL, in *out after its old text is dropped. The sentence says why not. */
int tracefs_read_text(const struct tracefs *t, const char *instance, const char *file,
		      struct textbuf *out, struct errmsg *err);
/* Negative if there is no number in it. */
long long tracefs_read_number(const struct tracefs *t, const char *instance, const char *file);

/*
 * Writes text in one piece. A text with control characters is refused (-EINVAL), except in trace_marker and
 * except a last newline: the kernel would take it for several commands. On failure the sentence names file, text and the reason, taken from the
 * kernel's error_log where it has one.
 */
int tracefs_write(const struct tracefs *t, const char *instance, const char *file, const char *text,
		  enum tracefs_how how, struct errmsg *err);
/* The same without a sentence. */
int tracefs_try_write(const struct tracefs *t, const char *instance, const char *file,
		      const char *text, enum tracefs_how how);

/* Fills in the sentence for a file that could not be opened or read; returns code. */
int tracefs_refuse_read(const struct tracefs *t, const char *instance, const char *file, int code,
			struct errmsg *err);

/* A descriptor (close-on-exec), or negative errno. */
int tracefs_open_file(const struct tracefs *t, const char *instance, const char *file, int flags);

/* --- instances --------------------------------------------------------------------------------- */

/* -EEXIST if there is one of that name; names with '/' or control characters or beginning with '.' are refused. */
int tracefs_add_instance(const struct tracefs *t, const char *name, struct errmsg *err);
/* Tries for up to a second while it is busy. */
int tracefs_remove_instance(const struct tracefs *t, const char *name, struct errmsg *err);

struct name_list {
	char **names; /* sorted, if it comes from here */
	size_t n;
};

void name_list_release(struct name_list *list);
/* A copy of the first len bytes, at the end. */
int name_list_add(struct name_list *list, const char *name, size_t len);
/* True if the list has it. */
bool name_list_find(const struct name_list *list, const char *name);

int tracefs_instances(const struct tracefs *t, struct name_list *ret_list);
/* 0 if there is an instance of that name, or "" is given; else the sentence names the nearest one. */
int tracefs_find_instance(const struct tracefs *t, const char *name, struct errmsg *err);
/* The entries of a directory that are directories themselves: systems, events. */
int tracefs_directories(const struct tracefs *t, const char *instance, const char *dir,
			struct name_list *ret_list);
/* Those that are files: options. */
int tracefs_files(const struct tracefs *t, const char *instance, const char *dir,
		  struct name_list *ret_list);
/* The words of a file that is a list of words: available_tracers; for trace_clock without brackets. */
int tracefs_words(const struct tracefs *t, const char *instance, const char *file,
		  struct name_list *ret_list);
/* The word in brackets: of trace_clock, or of an option with choices. -ENOENT if there is none. */
int tracefs_chosen_word(const struct tracefs *t, const char *instance, const char *file, char *buf,
			size_t n_bytes);

/* Highest possible CPU number plus one, from per_cpu/. At least 1. */
unsigned tracefs_cpu_count(const struct tracefs *t);

#endif
