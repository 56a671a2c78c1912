/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guard.h - what a query may not do: write, attach, load code, read other files, run for ever. */
#ifndef SONDE_QUERY_GUARD_H
#define SONDE_QUERY_GUARD_H

#include <sqlite3.h>
#include <stdint.h>

/* Locks db. Views must exist before. Returns 0 or -ENOMEM. */
int guard_lock(sqlite3 *db, uint64_t memory_bytes);

#endif
