/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - what the user should know although nothing failed: warnings and the damage of a file.
 *
 * This room prints nothing. The caller gives a function that gets one full sentence for each note, in
 * the order in which they come up.
 */
#ifndef SONDE_REWRITE_NOTES_H
#define SONDE_REWRITE_NOTES_H

#include <stdbool.h>

struct tracefile;

struct rewrite_notes {
	void (*add)(void *ctx, const char *sentence);
	void *ctx;
};

void rewrite_note(const struct rewrite_notes *notes, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A note for each damage that was met in the file; true if there is any. */
bool rewrite_note_damage(const struct rewrite_notes *notes, const struct tracefile *tf);

#endif
