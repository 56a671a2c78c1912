// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_straceline.c - lines of strace.
 *
 * Each piece that is found must lie in the line.
 */
#include "inputs/foreign/straceline.h"

#include <stdlib.h>
#include <string.h>

static void check(struct piece line, struct piece p)
{
	if (p.len && (p.data < line.data || p.data + p.len > line.data + line.len))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	const uint8_t *at = input, *end = input + n;

	while (n && at < end) {
		const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
		struct piece line = {at, (size_t)((newline ? newline : end) - at)};
		struct straceline l;

		straceline_parse(line, &l);
		check(line, l.name);
		check(line, l.args);
		check(line, l.ret);
		check(line, l.error);
		at += line.len + !!newline;
	}
	return 0;
}
