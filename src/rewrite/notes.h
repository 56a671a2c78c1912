/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - passes warnings, and the damage of a file, to the caller, when nothing failed.
 *
 * This room prints nothing. The caller's function gets one full sentence for each note, in order.
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
/* Adds a note for each damage of the file. Returns true if there is any. */
bool rewrite_note_damage(const struct rewrite_notes *notes, const struct tracefile *tf);

#endif
