/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usdt.h - the notes that DTRACE_PROBE() and STAP_PROBE() leave in a program (section
 * .note.stapsdt).
 */
#ifndef SONDE_SYMBOLS_USDT_H
#define SONDE_SYMBOLS_USDT_H

#include "format/bytes.h"

struct usdt_note {
	uint64_t address; /* link-time address of the nop */
	/*
	 * link-time address of the section .stapsdt.base; if it has moved, so have the other
	 * addresses
	 */
	uint64_t base;
	uint64_t semaphore;			 /* address of a counter; 0: none */
	const char *provider, *name, *arguments; /* texts in the notes themselves */
};

/*
 * Calls visit for each note until it returns a negative value, and returns that value. Skips notes
 * of other kinds. A truncated note ends the list. address_bytes is 4 or 8.
 */
int usdt_parse(struct piece notes, bool swap, unsigned address_bytes,
	       int (*visit)(void *ctx, const struct usdt_note *n), void *ctx);

#endif
