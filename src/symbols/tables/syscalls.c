// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * syscalls.c - the table of system calls of each machine.
 *
 * x86-64 and i386 have their own numbers; later machines share the generic ones. To add a machine,
 * add a list, its word in src/symbols/meson.build, and a row here.
 */
#include "symbols/tables/syscalls.h"

#include "base/array.h"
#include "base/textbuf.h"

#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *machine, *table;
} rows[] = {
	{"x86_64", "x86_64"},	  {"i386", "i386"},
	{"i486", "i386"},	  {"i586", "i386"},
	{"i686", "i386"},	  {"aarch64", "generic64"},
	{"riscv64", "generic64"}, {"loongarch64", "generic64"},
};

const struct syscall_table *syscalls_for(const char *machine, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strlen(rows[i].machine) != len || memcmp(rows[i].machine, machine, len))
			continue;
		for (const struct syscall_table *t = syscall_tables; t->name; t++)
			if (!strcmp(t->name, rows[i].table))
				return t;
	}
	return NULL;
}

const struct syscall_table *syscalls_for_audit(uint32_t machine)
{
	const char *name = machine == AUDIT_ARCH_X86_64	   ? "x86_64"
			   : machine == AUDIT_ARCH_I386	   ? "i386"
			   : machine == AUDIT_ARCH_AARCH64 ? "aarch64"
			   : machine == AUDIT_ARCH_RISCV64 ? "riscv64"
							   : "";

	return syscalls_for(name, strlen(name));
}

void syscalls_add_name(const struct syscall_table *t, struct textbuf *tb, size_t start)
{
	char *s, *digits, *end;
	const char *name;

	textbuf_add_char(tb, 0); /* ends the number for strtoull() */
	if (tb->overflow)
		return;
	tb->pos--;
	s = tb->start + start;
	digits = end = s + 3;
	if (tb->pos - s < 4 || memcmp(s, "NR ", 3))
		return;
	while (end < tb->pos && *end >= '0' && *end <= '9')
		end++;
	name = syscall_name(t, strtoull(digits, NULL, 10));
	if (!name || end == digits)
		return;
	start = end - tb->start;
	textbuf_add_fill(tb, ' ', strlen(name) + 1);
	if (tb->overflow)
		return;
	end = tb->start + start;
	memmove(end + strlen(name) + 1, end, tb->pos - end - strlen(name) - 1);
	*end = ' ';
	memcpy(end + 1, name, strlen(name));
}
