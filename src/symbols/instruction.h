/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction.h - how long an instruction is.
 *
 * A breakpoint must stand at the beginning of one. The kernel looks for itself where it is its own code; in a
 * program it does not, and a probe inside of an instruction changes what the program does.
 */
#ifndef SONDE_SYMBOLS_INSTRUCTION_H
#define SONDE_SYMBOLS_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

struct arch;

/* Its bytes; 0 if they are no instruction that is known here, or are cut off. */
unsigned instruction_length(const struct arch *a, const uint8_t *bytes, size_t n);

#endif
