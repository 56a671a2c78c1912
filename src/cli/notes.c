// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notes.c - warnings of other rooms on stderr, as "sonde: SENTENCE".
 *
 * Only cli prints. A room that has something to say while it works (rewrite, for example) takes a
 * callback; the commands give it notes_print(), so that all warnings have the same form. Damage is
 * collected in the opened file and printed when the work is done.
 */
#include "cli/notes.h"

#include "store/tracefile.h"

#include <stdio.h>

void notes_print(void *ctx, const char *sentence)
{
	fprintf(stderr, "sonde: %s\n", sentence);
}

bool notes_print_damage(const struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_damage; i++)
		notes_print(NULL, tf->damage[i]);
	return tf->n_damage;
}
