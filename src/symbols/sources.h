/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sources.h - where functions of programs begin in their source: "parse.c:120", by the address that
 * the function has in the events of a trace.
 *
 *	sources_new ─▶ sources_parse ─▶ sources_find … ─▶ sources_free
 *
 * The recorder writes the lines (capture/calls/plans/sources.c), so that a trace shows them on
 * any machine. Only one thread may use it at a time.
 */
#ifndef SONDE_SYMBOLS_SOURCES_H
#define SONDE_SYMBOLS_SOURCES_H

#include "format/bytes.h"

struct sources;

/* NULL: out of memory. */
struct sources *sources_new(void);
void sources_free(struct sources *s);
/*
 * Reads the lines "L FUNC LINE PATH" of the text: FUNC in hex, LINE in decimal. Ignores all others.
 * Returns 0, or -ENOMEM if there are too many; the first ones are known then.
 */
int sources_parse(struct sources *s, struct piece text);
/* "PATH:LINE", or NULL. Valid until sources_free(). s may be NULL. */
const char *sources_find(const struct sources *s, uint64_t func);

#endif
