// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_chromejson.c - the events of Chrome's JSON, and their order.
 */
#include "inputs/foreign/chromeevents.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct chromeevents e;

	chromeevents_init(&e);
	if (n && chromeevents_read(&e, (struct piece){input, n}) >= 0 && chromeevents_sort(&e) >= 0)
		for (size_t i = 1; i < e.n; i++)
			if (e.list[i].start_ns < e.list[i - 1].start_ns ||
			    e.list[i].end_ns < e.list[i].start_ns)
				abort();
	chromeevents_release(&e);
	return 0;
}
