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

/* Returns false if the user named nothing; then the target is the running kernel. */
bool probetarget_is_given(const struct probe_target *t);

/*
 * Opens the given target. word, if not NULL, is the target of a definition ("bash" of
 * "bash:readline"). If no file is given, searches the kernel where distributions install it;
 * returns -ENOENT with a message if it is not there.
 */
int probetarget_open(const struct probe_target *t, const char *word, struct debuginfo **ret_info,
		     struct errmsg *err);

/*
 * Writes "%di", "-24(%bp)", "@0x4040" in the kernel's syntax, or a clause with the reason why the
 * variable has no place. d NULL: a variable of this kernel.
 */
void probetarget_fmt_place(const struct debuginfo *d, const struct variable *v, struct textbuf *tb);

#endif
