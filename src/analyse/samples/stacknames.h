/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * stacknames.h - the functions at places of samples, with those that the compiler inlined there.
 *
 *	place 1 << 48 | 0x1973  ─▶  square (inlined), use_square        of the file "calls2"
 *
 * Names come from the symbols of the trace. Inlined functions and source lines come from the DWARF
 * of the files, if those on this machine have the recorded build ids. Each function exists once:
 * those with the same name in the same file are one. The result stays valid until
 * stacknames_free(). Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_SAMPLES_STACKNAMES_H
#define SONDE_ANALYSE_SAMPLES_STACKNAMES_H

#include "analyse/calls/callflow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct formats;
struct sampleinfo;
struct stacknames;
struct sampleset;

struct stacknames_config {
	struct formats *formats;       /* NULL: only names of the set */
	const struct sampleinfo *info; /* NULL: none */
	const struct sampleset *set;   /* for places that are names */
	bool inlines;		       /* find inlined functions */
	bool lines;		       /* a function is one for each source line, which it names */
	const char *debug_dir, *root_dir; /* where files and debug files are; NULL: as usual */
};

#define STACKNAMES_FRAMES_MAX 32

/* The functions at a place, the innermost first. At least one. */
struct stacknames_frames {
	const struct flow_func *const *funcs;
	size_t n;
};

/* config must stay valid. NULL: no memory. */
struct stacknames *stacknames_new(const struct stacknames_config *config);
void stacknames_free(struct stacknames *sn);

/* is_return: the place is behind a call, which is what counts. */
struct stacknames_frames stacknames_find(struct stacknames *sn, uint64_t place, bool is_return);
/* A function with this name that is no code: a task. */
const struct flow_func *stacknames_find_text(struct stacknames *sn, const char *text);
/* The functions of a whole stack, the outermost first, in memory that the next call overwrites. */
const struct flow_func *const *stacknames_chain(struct stacknames *sn, uint32_t stack,
						size_t *ret_n);
/* How many functions there are: their numbers are smaller. */
uint32_t stacknames_n(const struct stacknames *sn);
/* "libc.so.6", "[kernel]", "[ext4]": where a function is. */
const char *stacknames_file(const struct flow_func *func);

#endif
