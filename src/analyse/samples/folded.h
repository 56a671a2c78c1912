/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * folded.h - reads folded stacks, the text that stackcollapse-*.pl, bpftrace, py-spy,
 * async-profiler and export --folded write.
 *
 *	main;parse;next_token 1800       the outermost function first; the weight of the stack
 *	make;do_syscall_64_[k] 3         _[k]: of the kernel, _[i]: inlined, _[j]: made at run time
 */
#ifndef SONDE_ANALYSE_SAMPLES_FOLDED_H
#define SONDE_ANALYSE_SAMPLES_FOLDED_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct sampleset;

/* Adds all lines to the set, as frames that are names. Returns how many lines have another form. */
uint64_t folded_parse(struct sampleset *set, struct piece text);
/* Does the text begin with such a line? Empty lines and those with # in front are skipped. */
bool folded_is(struct piece text);

#endif
