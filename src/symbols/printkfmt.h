/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * printkfmt.h - the kernel's trace_printk() format strings by address.
 *
 * Made from the text of tracefs' printk_formats: `0xADDR : "format\n"`. Strings are copies without
 * their quotes and their final \n, NUL-terminated, owned by the table.
 */
#ifndef SONDE_SYMBOLS_PRINTKFMT_H
#define SONDE_SYMBOLS_PRINTKFMT_H

#include "base/arena.h"
#include "format/bytes.h"

struct printkfmt {
	uint64_t addr;
	const char *format;
	uint32_t order;
};

struct printkfmts {
	struct printkfmt *rows; /* sorted by address */
	size_t n;
};

/* Reads the formats into the arena. Returns 0 or -ENOMEM. */
int printkfmts_read(struct printkfmts *ret, struct piece text, struct arena *arena);
const char *printkfmts_find(const struct printkfmts *p, uint64_t addr);

#endif
