/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * expand.h - a pattern of functions or marks of a program, as one definition for each of them.
 *
 *	./prog:w*(n) if n > 3     ─▶     ./prog:walk(n) if n > 3     ./prog:work(n) if n > 3
 *
 * So each has an event of its own, named after it. A pattern with a name of its own (all=./prog:w*) stays one event, and so
 * do patterns of the kernel, whose functions are told by their addresses.
 */
#ifndef SONDE_PROBE_EXPAND_H
#define SONDE_PROBE_EXPAND_H

#include "probe/probe.h"

struct probe_expansion {
	char **texts;
	size_t n;   /* 0: the definition is no such pattern */
	char *note; /* what was left out, a sentence; NULL: nothing */
};

/* Free it with _release. The sentence of a refusal points at the pattern. */
int probe_expand(struct prober *p, const struct definition *d,
		 struct probe_expansion *ret_expansion, struct errmsg *err);
void probe_expansion_release(struct probe_expansion *x);

#endif
