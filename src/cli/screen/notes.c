// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notes.c - prints warnings of other rooms to stderr, as "sonde: SENTENCE".
 *
 * Only cli prints. A room that reports something while it works (rewrite, for example) has a
 * callback. The commands pass notes_print(), so that all warnings have the same form. An opened
 * trace stores messages about its damage and its filters; they are printed at the end.
 */
#include "cli/screen/notes.h"

#include "inputs/inputs.h"

#include <stdio.h>

void notes_print(void *ctx, const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

void notes_print_filters(const struct inputs *in, bool quiet)
{
	for (size_t i = 0; i < in->n_notes; i++)
		if (!quiet || in->notes[i].kind != INPUTS_NO_FIELD)
			notes_print(NULL, in->notes[i].text);
}

bool notes_print_damage(const struct inputs *in, bool quiet)
{
	const char *text;
	size_t pos = 0;

	while ((text = inputs_next_damage(in, &pos)))
		if (!quiet)
			notes_print(NULL, text);
	return pos > 0;
}
