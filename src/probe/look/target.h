/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target.h - the program, module or kernel that `probe funcs`, `lines` and `vars` examine.
 */
#ifndef SONDE_PROBE_LOOK_TARGET_H
#define SONDE_PROBE_LOOK_TARGET_H

#include "base/errmsg.h"
#include "symbols/dwarf/debuginfo.h"

struct textbuf;

struct probe_target {
	const char *program, *module, *vmlinux, *source_dir, *debug_dir;
	bool json;
};

/* False if nothing is named: then it is the running kernel. */
bool probetarget_is_given(const struct probe_target *t);

/*
 * Opens the given target. word, if not NULL, is the target of a definition ("bash" of
 * "bash:readline"). If no file is given, the kernel is searched where distributions put it; -ENOENT
 * with a message if it is not there.
 */
int probetarget_open(const struct probe_target *t, const char *word, struct debuginfo **ret_info,
		     struct errmsg *err);

/*
 * "%di", "-24(%bp)", "@0x4040": in the kernel's syntax, or a clause that says why it has no place.
 * d NULL: a variable of this kernel.
 */
void probetarget_fmt_place(const struct debuginfo *d, const struct variable *v, struct textbuf *tb);

#endif
