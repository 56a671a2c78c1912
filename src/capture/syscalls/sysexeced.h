/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysexeced.h - the name and the arguments of a program that was executed, for the event of
 * execve().
 */
#ifndef SONDE_CAPTURE_SYSCALLS_SYSEXECED_H
#define SONDE_CAPTURE_SYSCALLS_SYSEXECED_H

#include "capture/syscalls/sysrecord.h"

#include <stddef.h>

struct sysexeced;

/*
 * Copies a record SYSRECORD_EXECED of n_bytes; free() frees it. NULL: it is too short, or out of
 * memory.
 */
struct sysexeced *sysexeced_new(const struct sysrecord *r, size_t n_bytes);
/*
 * event: struct syscallevents_call and its chunks, n bytes; there is room for
 * SYSCALLEVENTS_MEMORY_MAX bytes of chunks. Adds chunks with what could not be copied when the call
 * began. Returns the bytes of the event then. Does nothing if it is another call.
 */
uint32_t sysexeced_fill(const struct sysexeced *e, uint8_t *event, uint32_t n);

#endif
