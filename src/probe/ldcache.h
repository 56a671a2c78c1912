/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ldcache.h - where a shared library is, by the dynamic linker's own list. Stays in this room.
 */
#ifndef SONDE_PROBE_LDCACHE_H
#define SONDE_PROBE_LDCACHE_H

#include "format/bytes.h"

/*
 * The path of the library "libc", "libc.so.6" or "c" in the bytes of /etc/ld.so.cache, or NULL. It is ended
 * by NUL and stays in the bytes.
 */
const char *ldcache_find(struct piece cache, const char *name);

#endif
