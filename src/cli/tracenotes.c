// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracenotes.c - prints what opened inputs have to say about themselves, to standard error.
 *
 * The room inputs prints nothing: it keeps sentences about what is damaged, and about filters that name what the
 * trace does not have. Every command that opens a trace shows them here, and exits with 1 if something is damaged.
 */
#include "cli/tracenotes.h"

#include <stdio.h>

void tracenotes_print(const struct inputs *in, bool quiet)
{
	for (size_t i = 0; i < in->n_notes; i++)
		if (!quiet || in->notes[i].kind != INPUTS_NO_FIELD)
			fprintf(stderr, "sonde: %s\n", in->notes[i].text);
}

bool tracenotes_print_damage(const struct inputs *in, bool quiet)
{
	const char *text;
	size_t pos = 0;

	while ((text = inputs_next_damage(in, &pos)))
		if (!quiet)
			fprintf(stderr, "sonde: %s\n", text);
	return pos > 0;
}
