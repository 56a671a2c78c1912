/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cachedir.h - finds the directory for the viewer's indexes. */
#ifndef SONDE_VIEW_SERVE_CACHEDIR_H
#define SONDE_VIEW_SERVE_CACHEDIR_H

/*
 * Returns the path of the directory, which is created if necessary; the caller frees it. given: the
 * user's choice. beside: use the directory of this trace. If both are NULL, uses the user's cache.
 * Returns NULL if there is no writable directory.
 */
char *viewcache_dir(const char *beside, const char *given);

#endif
