/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * choice.h - a choice of system calls, as strace's -e trace= has it.
 *
 *	open,close     names          %file       a set           /^read       a regular expression
 *	*at            a glob         ?statx      no error if there is no such call
 *	!open,close    all but these  all, none   1,257           numbers
 */
#ifndef SONDE_SYMBOLS_SYSCALLS_CHOICE_H
#define SONDE_SYMBOLS_SYSCALLS_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

struct errmsg;

#define SYSCALLCHOICE_WORDS 16 /* bits of the numbers below 1024 */

/*
 * Sets the bits of the calls of a machine (AUDIT_ARCH_…). A name that the machine does not have is
 * an error with a suggestion, unless may_lack: other machines have other calls.
 */
int syscallchoice_parse(const char *text, uint32_t machine, bool may_lack,
			uint64_t bits[SYSCALLCHOICE_WORDS], struct errmsg *err);

#endif
