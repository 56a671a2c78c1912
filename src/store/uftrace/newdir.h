/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * newdir.h - makes and removes uftrace.data directories.
 */
#ifndef SONDE_STORE_UFTRACE_NEWDIR_H
#define SONDE_STORE_UFTRACE_NEWDIR_H

#include <stdbool.h>

struct errmsg;

/*
 * Makes the directory, with mode 0700, and returns a descriptor of it. One that exists is refused
 * with -EEXIST if must_be_new; else it becomes PATH.old, and a recording of that name is removed.
 */
int uftdir_make(const char *path, bool must_be_new, struct errmsg *err);
/* Removes a directory of files; what is no file stays, and the directory with it. */
void uftdir_remove(const char *path);

#endif
