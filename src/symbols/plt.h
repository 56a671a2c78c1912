/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * plt.h - names of stubs in a procedure linkage table: "malloc@plt".
 */
#ifndef SONDE_SYMBOLS_PLT_H
#define SONDE_SYMBOLS_PLT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plt;

/* The file stays open in it. NULL: it has no such table, or no memory. */
struct plt *plt_open(const char *path);
void plt_close(struct plt *p);
/* Writes the name, and the address where the stub begins. Returns false if there is no stub. */
bool plt_find(const struct plt *p, uint64_t address, char *name, size_t n_bytes,
	      uint64_t *ret_start);

#endif
