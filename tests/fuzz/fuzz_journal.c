// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_journal.c - any bytes as a journal, which root reads and acts upon.
 *
 *	input:  the file
 *
 * What was read is written again and read again: it must be the same notes, whatever is in their names.
 */
#include "base/textbuf.h"
#include "capture/tracefs/journal/journal_int.h"

#include <stdlib.h>
#include <string.h>

static void check_same(const struct notes *a, const struct notes *b)
{
	if (a->n != b->n)
		abort();
	for (size_t i = 0; i < a->n; i++)
		if (a->list[i].kind != b->list[i].kind || !*a->list[i].name ||
		    strcmp(a->list[i].instance, b->list[i].instance) ||
		    strcmp(a->list[i].name, b->list[i].name) ||
		    strcmp(a->list[i].text, b->list[i].text))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	struct notes notes = {0}, again = {0};
	struct textbuf tb;
	char *copy = malloc(n ? n : 1); /* ends where the sanitizer sees it */

	memcpy(copy, input, n);
	textbuf_init(&tb, 64u << 20);
	if (!notes_parse(copy, n, &notes)) {
		for (size_t i = 0; i < notes.n; i++)
			note_fmt(&tb, notes.list[i].kind, notes.list[i].instance,
				 notes.list[i].name, notes.list[i].text);
		if (!notes_parse(tb.start, textbuf_len(&tb), &again))
			check_same(&notes, &again);
	}
	notes_release(&notes);
	notes_release(&again);
	textbuf_release(&tb);
	free(copy);
	return 0;
}
