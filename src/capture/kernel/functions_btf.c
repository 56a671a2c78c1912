// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * functions_btf.c - asks the kernel's BTF whether it describes a function.
 *
 * A function that BTF knows and the symbol table does not was inlined everywhere. A kernel without BTF, or
 * with one that cannot be read, answers no.
 */
#include "base/errmsg.h"
#include "capture/kernel/functions_int.h"
#include "symbols/btf/btf.h"

bool kfunctions_in_btf(const char *path, const char *name)
{
	struct errmsg ignored = {0};
	struct type prototype;
	struct btf *btf;
	bool found;

	if (btf_open_file(&btf, path, NULL, &ignored) < 0)
		return false;
	found = btf_find_function(btf, name, strlen(name), &prototype) >= 0;
	btf_close(btf);
	return found;
}
