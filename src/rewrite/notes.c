// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * notes.c - formats notes and hands them to the caller's function.
 *
 * A note that does not fit into the buffer is truncated: paths may be long, and half a message is
 * better than none. The code that found damage has already formatted it (tracefile_add_damage());
 * the opened file keeps it until the work is done.
 */
#include "rewrite/notes.h"

#include "store/tracefile.h"

#include <stdarg.h>
#include <stdio.h>

void rewrite_note(const struct rewrite_notes *notes, const char *fmt, ...)
{
	char sentence[5000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	notes->add(notes->ctx, sentence);
}

bool rewrite_note_damage(const struct rewrite_notes *notes, const struct tracefile *tf)
{
	for (size_t i = 0; i < tf->n_damage; i++)
		notes->add(notes->ctx, tf->damage[i]);
	return tf->n_damage;
}
