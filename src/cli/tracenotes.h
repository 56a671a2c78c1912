/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracenotes.h - prints what opened inputs have to say about themselves, to standard error.
 */
#ifndef SONDE_CLI_TRACENOTES_H
#define SONDE_CLI_TRACENOTES_H

#include "inputs/inputs.h"

/* What the filters name and the trace does not have. quiet: not the fields. */
void tracenotes_print(const struct inputs *in, bool quiet);
/* What is damaged, unless quiet. True if something is: the exit status is 1 then. */
bool tracenotes_print_damage(const struct inputs *in, bool quiet);

#endif
