/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tables_int.h - what tools/gen-syscalltypes makes of the lists, for types.c.
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_TABLES_INT_H
#define SONDE_SYMBOLS_SYSCALLS_TABLES_INT_H

#include "symbols/syscalls/copies.h"
#include "symbols/syscalls/structs.h"
#include "symbols/syscalls/types.h"

/*
 * The calls in the order of their names; an index has the place + 1 of a number, 0: no such call.
 */
struct syscall_types {
	const struct syscalltype *calls;
	size_t n;
	const uint16_t *x86_64;
	size_t n_x86_64;
	const uint16_t *generic64;
	size_t n_generic64;
	const struct sysioctl *ioctls; /* sorted by number */
	size_t n_ioctls;
};
extern const struct syscall_types syscall_types;

/* The copies of the call at place i. */
const struct syscopy *syscopies_row(size_t i, size_t *ret_n);

#endif
