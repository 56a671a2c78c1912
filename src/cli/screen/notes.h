/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - prints what other rooms report while they work: warnings and damage, a sentence each.
 */
#ifndef SONDE_CLI_SCREEN_NOTES_H
#define SONDE_CLI_SCREEN_NOTES_H

#include <stdbool.h>

struct inputs;

/* Prints a sentence to stderr. Fits wherever a room takes a callback for its notes; ctx is not used. */
void notes_print(void *ctx, const char *sentence);
/* What the filters name and the trace does not have. quiet: not the fields. */
void notes_print_filters(const struct inputs *in, bool quiet);
/* What is damaged, unless quiet. True if something is: the exit status is 1 then. */
bool notes_print_damage(const struct inputs *in, bool quiet);

#endif
