// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_btf.c - any bytes as the kernel's BTF, in which a function is looked for.
 *
 *	input:  BTF, in a copy that ends where it does
 */
#include "capture/kfunctions_int.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	uint8_t *copy = malloc(n + !n);

	memcpy(copy, input, n);
	kfunctions_btf_has((struct piece){copy, n}, "vfs_read");
	kfunctions_btf_has((struct piece){copy, n}, "");
	free(copy);
	return 0;
}
