// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * types.c - looks up the tables about system calls.
 *
 *	machine, number ──▶ index_x86_64[] ──▶ calls[] (types, sets) and copies[]
 *
 * The tables are made from lists by tools/gen-syscalltypes. x86-64 has numbers of its own; aarch64
 * and later machines share the generic ones. A 32-bit program has other layouts of structures: of
 * its calls only names are known.
 */
#include "base/array.h"
#include "symbols/syscalls/copies.h"
#include "symbols/syscalls/sets.h"
#include "symbols/syscalls/tables_int.h"
#include "symbols/syscalls/types.h"
#include "symbols/tables/syscalls.h"

#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

/* The bits of gen-syscalltypes' SETS. A name may stand for more than one. */
static const struct {
	const char *name;
	unsigned bits;
} sets[] = {
	{"file", 1 << 0},    {"desc", 1 << 1},	   {"network", 1 << 2},	 {"net", 1 << 2},
	{"process", 1 << 3}, {"signal", 1 << 4},   {"ipc", 1 << 5},	 {"memory", 1 << 6},
	{"creds", 1 << 7},   {"clock", 1 << 8},	   {"stat", 1 << 9},	 {"lstat", 1 << 10},
	{"fstat", 1 << 11},  {"statfs", 1 << 12},  {"fstatfs", 1 << 13}, {"pure", 1 << 14},
	{"%stat", 7 << 9},   {"%statfs", 3 << 12},
};

unsigned syscallset_find(const char *set, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		if (strlen(sets[i].name) == len && !memcmp(sets[i].name, set, len))
			return sets[i].bits;
	return 0;
}

unsigned syscallsets_of(const char *call)
{
	const struct syscalltype *t = syscalltype_find(call);

	return t ? t->sets : 0;
}

static int compare(const void *name, const void *call)
{
	return strcmp(name, ((const struct syscalltype *)call)->name);
}

const struct syscalltype *syscalltype_find(const char *name)
{
	return bsearch(name, syscall_types.calls, syscall_types.n, sizeof(*syscall_types.calls),
		       compare);
}

const struct syscalltype *syscalltype_of(uint32_t machine, uint32_t nr)
{
	const struct syscall_types *t = &syscall_types;
	size_t place = 0;

	if (machine == AUDIT_ARCH_X86_64 && nr < t->n_x86_64)
		place = t->x86_64[nr];
	else if ((machine == AUDIT_ARCH_AARCH64 || machine == AUDIT_ARCH_RISCV64) &&
		 nr < t->n_generic64)
		place = t->generic64[nr];
	return place ? &t->calls[place - 1] : NULL;
}

const struct sysioctl *sysioctl_find(uint32_t number)
{
	const struct sysioctl *list = syscall_types.ioctls;
	size_t n = syscall_types.n_ioctls, at = ARRAY_BISECT(n, i, list[i].number < number);

	return at < n && list[at].number == number ? &list[at] : NULL;
}

const char *syscallnames_find(uint32_t machine, uint32_t nr)
{
	const struct syscalltype *t = syscalltype_of(machine, nr);

	if (t)
		return t->name;
	return machine == AUDIT_ARCH_I386 ? syscall_name(syscalls_for("i386", 4), nr) : NULL;
}

const struct syscopy *syscopies_find(uint32_t machine, uint32_t nr, size_t *ret_n)
{
	const struct syscalltype *t = syscalltype_of(machine, nr);

	*ret_n = 0;
	return t ? syscopies_row(t - syscall_types.calls, ret_n) : NULL;
}
