/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - prints the warnings and damage that other rooms report while they work, one sentence
 * each.
 */
#ifndef SONDE_CLI_SCREEN_NOTES_H
#define SONDE_CLI_SCREEN_NOTES_H

#include <stdbool.h>

struct inputs;

/*
 * Prints a sentence to stderr. It can be the callback for the notes of any room; ctx is not used.
 */
void notes_print(void *ctx, const char *sentence);
/* Prints the names in filters that the trace does not have. quiet: without fields. */
void notes_print_filters(const struct inputs *in, bool quiet);
/* Prints the damage, unless quiet. Returns true if there is any; then the exit status is 1. */
bool notes_print_damage(const struct inputs *in, bool quiet);

#endif
