/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rawcalls.h - makes system calls of the kernel's events raw_syscalls:sys_enter and sys_exit, which
 * have numbers, but no memory of the arguments.
 */
#ifndef SONDE_DECODE_SYSCALLS_RAWCALLS_H
#define SONDE_DECODE_SYSCALLS_RAWCALLS_H

#include "base/map.h"
#include "store/events/syscallevents.h"

#include <stdbool.h>

struct record;

struct rawcalls {
	uint32_t machine; /* AUDIT_ARCH_… of all records */
	struct map open;  /* by thread: struct rawcall */
};

void rawcalls_init(struct rawcalls *r, uint32_t machine);
void rawcalls_release(struct rawcalls *r);
/*
 * Takes a record, in the order of time. Returns true if it ends a call, which is then in *ret, with
 * the record's time as its end.
 */
bool rawcalls_take(struct rawcalls *r, const struct record *rec, bool swap,
		   struct syscallevents_call *ret);
/* AUDIT_ARCH_… of "Linux host 6.1.0 x86_64"; 0: unknown. */
uint32_t rawcalls_machine(const char *uname, size_t len);

#endif
