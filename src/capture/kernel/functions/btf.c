// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * btf.c - checks whether the kernel's BTF describes a function.
 *
 * A function that is in BTF but not in the symbol table was inlined everywhere. Without readable
 * BTF the answer is no.
 */
#include "base/errmsg.h"
#include "capture/kernel/functions/functions_int.h"
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
