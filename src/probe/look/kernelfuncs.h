/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernelfuncs.h - lists the functions of a program, a module or the kernel, sorted by name. */
#ifndef SONDE_PROBE_LOOK_KERNELFUNCS_H
#define SONDE_PROBE_LOOK_KERNELFUNCS_H

#include "base/errmsg.h"
#include "probe/look/target.h"
#include "symbols/dwarf/debuginfo.h"

/*
 * Returns true for the running kernel or a loaded module, whose functions are in /proc/kallsyms. No
 * other file is opened.
 */
bool probefuncs_are_loaded(const struct probe_target *t);

/*
 * Visits functions in /proc/kallsyms ($SONDE_KALLSYMS replaces it), only code. module NULL: all,
 * including modules. An address that is hidden from this user is 1.
 */
int probefuncs_loaded(const char *module, const char *pattern,
		      int (*visit)(void *ctx, const struct debuginfo_function *f), void *ctx,
		      struct errmsg *err);

#endif
