/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * syscalls.h - resolves numbers of system calls to names, by machine.
 *
 * The build makes the tables from the lists in src/symbols/syscalls/.
 */
#ifndef SONDE_SYMBOLS_TABLES_SYSCALLS_H
#define SONDE_SYMBOLS_TABLES_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

struct textbuf;

struct syscall_table {
	const char *name;
	const char *const *names; /* names by number; NULL: no such call */
	size_t n;
};

extern const struct syscall_table syscall_tables[]; /* ended by a row without a name */

/* Returns the table for a machine by its uname(1) name, or NULL. */
const struct syscall_table *syscalls_for(const char *machine, size_t len);

/* … by its number in the audit subsystem: AUDIT_ARCH_X86_64 … */
const struct syscall_table *syscalls_for_audit(uint32_t machine);

static inline const char *syscall_name(const struct syscall_table *t, unsigned long long number)
{
	return t && number < t->n ? t->names[number] : NULL;
}

/*
 * Changes "NR 59 (…" at `start` of a text to "NR 59 execve (…". Keeps any other text, and an
 * unknown number.
 */
void syscalls_add_name(const struct syscall_table *t, struct textbuf *tb, size_t start);

#endif
