/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand.h - expands a pattern of functions or marks of a program into one definition for each.
 *
 *	./prog:w*(n) if n > 3     ─▶     ./prog:walk(n) if n > 3     ./prog:work(n) if n > 3
 *
 * So each function has its own event with its own name. A pattern with an event name
 * (all=./prog:w*) stays one event, and so do patterns of the kernel, whose functions are
 * distinguished by address.
 */
#ifndef SONDE_PROBE_EXPAND_H
#define SONDE_PROBE_EXPAND_H

#include "probe/probe.h"

struct probe_expansion {
	char **texts;
	size_t n;   /* 0: the definition is not such a pattern */
	char *note; /* a message about omitted functions; NULL: none were omitted */
};

/*
 * Expands a pattern. Release the result with probe_expansion_release(). An error points to the
 * pattern.
 */
int probe_expand(struct prober *p, const struct definition *d,
		 struct probe_expansion *ret_expansion, struct errmsg *err);
void probe_expansion_release(struct probe_expansion *x);

#endif
