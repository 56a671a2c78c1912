/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sets.h - the sets of system calls that strace knows: %file, %network …
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_SETS_H
#define SONDE_SYMBOLS_SYSCALLS_SETS_H

#include <stddef.h>

/* The sets of a call as bits; 0: in none, or unknown. */
unsigned syscallsets_of(const char *call);
/* The bit of a set by its name without %, 0 if there is no such set. */
unsigned syscallset_find(const char *set, size_t len);

#endif
