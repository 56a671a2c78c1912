// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_demangle.c - symbols of C++.
 *
 *	input:  a symbol, without its NUL
 *
 * What is handed out must be a text that is longer than nothing.
 */
#include "symbols/cxx/demangle.h"
#include "symbols/cxx/signature.h"

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
	if (demangle_parameters(symbol, name, sizeof(name)) && !memchr(name, 0, sizeof(name)))
		abort();
	signature_name_length(symbol);
	signature_fits(symbol, "_Z3putRKSt6vectorIPKcSaIS1_EEj");
	if (signature_fmt(symbol, name, sizeof(name)) &&
	    (name[0] != '(' || !signature_fits(name, symbol)))
		abort(); /* what is shown can be written */
	free(symbol);
	return 0;
}
