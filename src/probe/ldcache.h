/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ldcache.h - finds a shared library in the dynamic linker's cache. Used only in this room.
 */
#ifndef SONDE_PROBE_LDCACHE_H
#define SONDE_PROBE_LDCACHE_H

#include "format/bytes.h"

/*
 * Returns the path of the library "libc", "libc.so.6" or "c" in the bytes of /etc/ld.so.cache, or
 * NULL. The path ends with NUL and points into the bytes.
 */
const char *ldcache_find(struct piece cache, const char *name);

#endif
