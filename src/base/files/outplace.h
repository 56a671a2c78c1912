/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outplace.h - the only place where files are created, written, renamed and removed.
 *
 * sonde often runs as root and writes where other users can write, too: /tmp, a home directory.
 * They can put a link there, and root would write somewhere else. So a path is resolved here, step
 * by step, to an open directory and a name in it, and from then on only that directory counts.
 *
 *	for whom               rights                      links that are followed
 *	an ordinary user       their own                   as in the kernel
 *	root for a caller      the caller's (caller.h);    the caller's: as in the kernel for them;
 *	                       if they do not suffice,     as root: only root's
 *	                       root's
 *	root for itself        root's                      only root's
 *
 * A new file has mode 0600 and belongs to the user whose rights sufficed. doc/SECURITY.md lists the
 * files.
 *
 * Threads: a place belongs to one.
 */
#ifndef SONDE_BASE_FILES_OUTPLACE_H
#define SONDE_BASE_FILES_OUTPLACE_H

#include <stdbool.h>
#include <sys/types.h>

struct errmsg;

enum outplace_use {
	OUTPLACE_REPLACE, /* a file without a name, which gets its name with outplace_take_name() */
	OUTPLACE_CREATE,  /* a new file with a name that we generated; -EEXIST */
	/* a text: empties the file unless it is an input; may be a pipe or a device */
	OUTPLACE_WRITE,
	OUTPLACE_APPEND, /* the same, appending */
	OUTPLACE_UPDATE, /* an existing file, to change in place */
	OUTPLACE_DIR,	 /* no file: path names a directory, for outplace_create_in() */
};

struct outplace {
	int fd;		 /* the file, or -1; code that takes the descriptor sets this to -1 */
	int dir;	 /* directory of the file (O_PATH) */
	char *name;	 /* name of the file in dir; not a link, no slash */
	char *hidden;	 /* OUTPLACE_REPLACE: the file's name until it gets its final one */
	bool has_hidden; /* whether the hidden name exists */
	bool as_caller;	 /* the caller's rights sufficed */
};

/*
 * Opens a place. Returns 0, -EISDIR, -ESPIPE (OUTPLACE_REPLACE, OUTPLACE_UPDATE: a device or pipe),
 * -EACCES …; err names path.
 */
int outplace_open(struct outplace *ret, const char *path, enum outplace_use use,
		  struct errmsg *err);
/*
 * Opens a place, and returns only the descriptor, which the caller closes, or -errno as
 * outplace_open(). Not for OUTPLACE_REPLACE and OUTPLACE_DIR.
 */
int outplace_open_file(const char *path, enum outplace_use use, struct errmsg *err);
/*
 * Returns -EBUSY if path is a file that this process has open for reading (mapfile.h).
 * OUTPLACE_WRITE checks this itself. OUTPLACE_REPLACE may replace an input by a better version of
 * it.
 */
int outplace_check_input(const char *path, struct errmsg *err);
/*
 * OUTPLACE_REPLACE: gives the file its name, and replaces an existing file. closes: the file is
 * complete, so its descriptor is closed first.
 */
int outplace_take_name(struct outplace *p, bool closes);
/*
 * OUTPLACE_DIR: creates a file with mode 0600; removes an existing one of that name. Returns the
 * descriptor, or -errno.
 */
int outplace_create_in(const struct outplace *p, const char *name);
/*
 * OUTPLACE_DIR: opens an existing file for reading and writing; follows no link. Returns the
 * descriptor, or -errno.
 */
int outplace_open_in(const struct outplace *p, const char *name);
/* OUTPLACE_DIR: creates a directory. Returns 0 or -errno. */
int outplace_mkdir_in(const struct outplace *p, const char *name, mode_t mode);
/* Removes a file in the directory of a place. Returns 0 or -errno. */
int outplace_unlink_in(const struct outplace *p, const char *name);
/* Removes the file or link of that name, never the target of a link. Returns 0 or -errno. */
int outplace_unlink(const char *path);
/* Removes the hidden name and closes the descriptors. */
void outplace_close(struct outplace *p);

/*
 * Finds the absolute path of a directory that the caller can write to, without links: a daemon
 * changes its own directory, and a link may be replaced later. The caller frees the path.
 */
int outplace_find_dir(const char *dir, char **ret, struct errmsg *err);

#define OUTPLACE_NONE ((struct outplace){.fd = -1, .dir = -1})

#endif
