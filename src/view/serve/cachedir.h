/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cachedir.h - where the viewer keeps indexes for the next time.
 */
#ifndef SONDE_VIEW_SERVE_CACHEDIR_H
#define SONDE_VIEW_SERVE_CACHEDIR_H

/*
 * The directory, made if need be, for the caller to free. given: as the user said; beside: the trace
 * whose directory it is; both NULL: the user's cache. NULL: there is none that can be written.
 */
char *viewcache_dir(const char *beside, const char *given);

#endif
