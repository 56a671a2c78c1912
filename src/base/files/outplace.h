/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outplace.h - the one door through which files are created, written, renamed and removed.
 *
 * sonde often runs as root and writes where other users can write, too: /tmp, a home directory. Whoever
 * can write there can put a link in the way, and root would write somewhere else. So a path is
 * resolved here, step by step, to an open directory and a name in it, and from then on only that
 * directory counts.
 *
 *	who is it for          rights                      links that are followed
 *	an ordinary user       his own                     as the kernel does
 *	root for a caller      the caller's (caller.h);    the caller's: as the kernel does for him;
 *	                       if they do not suffice,     as root: only root's
 *	                       root's
 *	root for itself        root's                      only root's
 *
 * A new file has mode 0600 and belongs to whose rights sufficed. doc/SECURITY.md lists the files.
 *
 * Threads: a place belongs to one.
 */
#ifndef SONDE_BASE_FILES_OUTPLACE_H
#define SONDE_BASE_FILES_OUTPLACE_H

#include <stdbool.h>
#include <sys/types.h>

struct errmsg;

enum outplace_use {
	OUTPLACE_REPLACE, /* a file without a name, which takes the name with outplace_take_name() */
	OUTPLACE_CREATE,  /* a new file under a name that we have made up; -EEXIST */
	OUTPLACE_WRITE,	  /* a text: the file is emptied; may be a pipe or a device */
	OUTPLACE_APPEND,  /* the same, at its end */
	OUTPLACE_UPDATE,  /* a file that exists, to be changed where it stands */
	OUTPLACE_DIR,	  /* no file: path names a directory, for outplace_create_in() */
};

struct outplace {
	int fd;		 /* the file, -1: none; whoever takes it sets it to -1 */
	int dir;	 /* only for names in it (O_PATH) */
	char *name;	 /* in dir; no link, no slash */
	char *hidden;	 /* OUTPLACE_REPLACE: what the file is called until it takes its name */
	bool has_hidden; /* and whether it is */
	bool as_caller;	 /* the caller's rights sufficed */
};

/* -EISDIR, -ESPIPE (OUTPLACE_REPLACE, OUTPLACE_UPDATE: a device or pipe), -EACCES …; err names path. */
int outplace_open(struct outplace *ret, const char *path, enum outplace_use use,
		  struct errmsg *err);
/* Not for OUTPLACE_REPLACE and OUTPLACE_DIR: only the descriptor, which the caller closes; or -errno as above. */
int outplace_open_file(const char *path, enum outplace_use use, struct errmsg *err);
/* OUTPLACE_REPLACE: in place of what is there; closes: the file is complete, so its descriptor is closed before. */
int outplace_take_name(struct outplace *p, bool closes);
/* OUTPLACE_DIR: a new file 0600; what was there under that name goes first. The descriptor, or -errno. */
int outplace_create_in(const struct outplace *p, const char *name);
/* OUTPLACE_DIR: a file that exists, for reading and writing; no link is followed. The descriptor, or -errno. */
int outplace_open_in(const struct outplace *p, const char *name);
/* OUTPLACE_DIR: a new directory. -errno. */
int outplace_mkdir_in(const struct outplace *p, const char *name, mode_t mode);
/* A file in the directory of a place. -errno. */
int outplace_unlink_in(const struct outplace *p, const char *name);
/* Removes what stands under its name, the file or a link, never what a link points at. -errno. */
int outplace_unlink(const char *path);
/* Removes a hidden name; closes what is open. */
void outplace_close(struct outplace *p);

#define OUTPLACE_NONE ((struct outplace){.fd = -1, .dir = -1})

#endif
