/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cachedir.h - the directory for the viewer's indexes.
 */
#ifndef SONDE_VIEW_SERVE_CACHEDIR_H
#define SONDE_VIEW_SERVE_CACHEDIR_H

/*
 * The directory, created if necessary; the caller frees the path. given: the user's choice; beside:
 * use the directory of this trace; both NULL: the user's cache. NULL: no writable directory.
 */
char *viewcache_dir(const char *beside, const char *given);

#endif
