/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracefs.h - the kernel's tracing directory: its path, its instances, its files by name.
 *
 * Every file is named by an instance ("" is the top level) and a path below it, as tracefs_read(t,
 * "", "events/sched/enable", …). Nothing is cached. Changes made here stay: callers who must undo
 * them use a journal (journal.h).
 *
 * A `struct tracefs` is read-only after tracefs_open() and may be used by several threads.
 */
#ifndef SONDE_CAPTURE_TRACEFS_TRACEFS_H
#define SONDE_CAPTURE_TRACEFS_TRACEFS_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

#define TRACEFS_PATH_MAX    1024
#define TRACEFS_NAME_MAX    256
/*
 * Copies what programs write to the top level's trace_marker into an instance; Linux 6.16 and
 * later.
 */
#define MARKERS_COPY_OPTION "options/copy_trace_marker"

struct tracefs {
	char root[TRACEFS_PATH_MAX]; /* "/sys/kernel/tracing" */
	bool is_ours;		     /* tracefs_open() mounted it */
};

enum tracefs_how {
	TRACEFS_SET,	/* drop the old contents (O_TRUNC) */
	TRACEFS_APPEND, /* keep the old contents */
};

/*
 * Finds the tracing directory: $SONDE_TRACEFS, or the place where it is mounted. If it is not
 * mounted, mounts it, which needs root. err gives advice if there is none (-ENOENT), if it is
 * unreadable (-EACCES), or if the kernel is locked down (-EPERM).
 */
int tracefs_open(struct tracefs *t, struct errmsg *err);

/* Returns false if the tracing directory was unmounted meanwhile. */
bool tracefs_is_there(const struct tracefs *t);
/* Finds where the tracing directory is mounted now. Returns false if it is mounted nowhere. */
bool tracefs_find_again(const struct tracefs *t, struct tracefs *ret);

/*
 * Formats the path of a file into buf of TRACEFS_PATH_MAX bytes; returns buf. The path is empty if
 * it would be too long, or if a name would leave the tracing directory ("..", an instance with
 * '/').
 */
char *tracefs_fmt_path(const struct tracefs *t, const char *instance, const char *file, char *buf);

bool tracefs_exists(const struct tracefs *t, const char *instance, const char *file);

/*
 * Appends the whole file to *out, without a final NUL. Returns a negative errno on failure, without
 * a message.
 */
int tracefs_read(const struct tracefs *t, const char *instance, const char *file,
		 struct textbuf *out);
/*
 * Reads a short file without its last newline, ended by NUL. Returns the length, or a negative
 * errno.
 */
int tracefs_read_short(const struct tracefs *t, const char *instance, const char *file, char *buf,
		       size_t n_bytes);
/* Replaces *out by the whole file, ended by NUL. On failure err says why. */
int tracefs_read_text(const struct tracefs *t, const char *instance, const char *file,
		      struct textbuf *out, struct errmsg *err);
/* Returns the number in a file, or a negative value if the file has no number. */
long long tracefs_read_number(const struct tracefs *t, const char *instance, const char *file);

/*
 * Writes text with one system call. Refuses a text with control characters (-EINVAL), because the
 * kernel would take it for several commands. A newline at the end and texts for trace_marker are
 * allowed. On failure err names file, text and reason; the reason comes from the kernel's error_log
 * if it has one.
 */
int tracefs_write(const struct tracefs *t, const char *instance, const char *file, const char *text,
		  enum tracefs_how how, struct errmsg *err);
/* Writes like tracefs_write(), but without a message. */
int tracefs_try_write(const struct tracefs *t, const char *instance, const char *file,
		      const char *text, enum tracefs_how how);

/* Sets the message for a file that could not be opened or read; returns code. */
int tracefs_refuse_read(const struct tracefs *t, const char *instance, const char *file, int code,
			struct errmsg *err);

/* Opens a file. Returns a descriptor (close-on-exec), or a negative errno. */
int tracefs_open_file(const struct tracefs *t, const char *instance, const char *file, int flags);

/*
 * --- instances ---------------------------------------------------------------------------------
 */

/*
 * Creates an instance. Returns -EEXIST if it exists. Refuses names that contain '/' or control
 * characters or begin with '.'.
 */
int tracefs_add_instance(const struct tracefs *t, const char *name, struct errmsg *err);
/* Removes an instance. Retries for up to a second while the instance is busy. */
int tracefs_remove_instance(const struct tracefs *t, const char *name, struct errmsg *err);

struct name_list {
	char **names; /* sorted, if tracefs.c made the list */
	size_t n, cap;
};

void name_list_release(struct name_list *list);
/* Appends a copy of the first len bytes of name. */
int name_list_add(struct name_list *list, const char *name, size_t len);
bool name_list_find(const struct name_list *list, const char *name);

int tracefs_instances(const struct tracefs *t, struct name_list *ret_list);
/* Returns 0 if the instance exists or name is ""; otherwise err names the nearest instance. */
int tracefs_find_instance(const struct tracefs *t, const char *name, struct errmsg *err);
/* Lists the subdirectories of a directory, for example systems or events. */
int tracefs_directories(const struct tracefs *t, const char *instance, const char *dir,
			struct name_list *ret_list);
/* Lists the files of a directory, for example options. */
int tracefs_files(const struct tracefs *t, const char *instance, const char *dir,
		  struct name_list *ret_list);
/* Lists the words of a file such as available_tracers; for trace_clock without brackets. */
int tracefs_words(const struct tracefs *t, const char *instance, const char *file,
		  struct name_list *ret_list);
/*
 * Copies the word in brackets in trace_clock or in an option with choices. Returns -ENOENT if there
 * is none.
 */
int tracefs_chosen_word(const struct tracefs *t, const char *instance, const char *file, char *buf,
			size_t n_bytes);

/* Returns the highest possible CPU number plus one, from per_cpu/. The result is at least 1. */
unsigned tracefs_cpu_count(const struct tracefs *t);

#endif
