/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * notes.h - prints what other rooms report while they work: warnings and damage, a sentence each.
 */
#ifndef SONDE_CLI_NOTES_H
#define SONDE_CLI_NOTES_H

#include <stdbool.h>

struct tracefile;

/* Prints a sentence to stderr. Fits wherever a room takes a callback for its notes; ctx is not used. */
void notes_print(void *ctx, const char *sentence);
/* Prints the damage of a file; true if there is any. */
bool notes_print_damage(const struct tracefile *tf);

#endif
