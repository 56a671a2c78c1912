// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_demangle.c - symbols of C++.
 *
 *	input:  a symbol, without its NUL
 *
 * What is handed out must be a text that is longer than nothing.
 */
#include "symbols/demangle.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	char *symbol = malloc(n + 1), name[512];

	memcpy(symbol, input, n);
	symbol[n] = 0;
	if (demangle(symbol, name, sizeof(name)) && (!memchr(name, 0, sizeof(name)) || !*name))
		abort();
	free(symbol);
	return 0;
}
