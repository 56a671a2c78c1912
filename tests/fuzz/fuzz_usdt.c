// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_usdt.c - the notes of a program's marks.
 *
 *	input:  1 byte of options (bit 0: swapped, bit 1: addresses of 4 bytes), then the section
 *
 * The section lies in memory of exactly its size. Every text that is handed out must end inside of it.
 */
#include "symbols/usdt.h"

#include <stdlib.h>

static void check_text(const struct piece *notes, const char *text)
{
	const uint8_t *begin = (const uint8_t *)text, *end = notes->data + notes->len;

	if (begin < notes->data || begin >= end || !memchr(begin, 0, end - begin))
		abort();
}

static int check_note(void *ctx, const struct usdt_note *n)
{
	check_text(ctx, n->provider);
	check_text(ctx, n->name);
	check_text(ctx, n->arguments);
	if (!*n->provider || !*n->name)
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	uint8_t options = n ? input[0] : 0, *copy;
	struct piece notes;

	if (n < 2)
		return 0;
	copy = malloc(n - 1);
	memcpy(copy, input + 1, n - 1);
	notes = (struct piece){copy, n - 1};
	if (usdt_parse(notes, options & 1, options & 2 ? 4 : 8, check_note, &notes) < 0)
		abort();
	free(copy);
	return 0;
}
