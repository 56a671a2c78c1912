/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - limits what the viewer's process may do after setup. This cannot be undone.
 *
 *	sandbox_paths    before threads exist: limits the files that can be opened (Landlock)
 *	sandbox_calls    when everything is open: limits the system calls (seccomp), all threads
 */
#ifndef SONDE_VIEW_SANDBOX_H
#define SONDE_VIEW_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

/*
 * Limits the files. read: files that may be opened for reading. cache: a directory for reading and
 * writing; NULL: none. Returns 1, or 0 if this kernel has no Landlock. Sets no_new_privs.
 */
int sandbox_paths(const char *const *read, size_t n_read, const char *cache, struct errmsg *err);

/*
 * Limits the system calls. with_files: opening files stays possible, within the limits of
 * sandbox_paths(). Returns 1, or 0 if this kernel has no seccomp.
 */
int sandbox_calls(bool with_files, struct errmsg *err);

#endif
