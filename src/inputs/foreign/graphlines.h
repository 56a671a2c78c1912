/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * graphlines.h - lines of the tracers function and function_graph, and stacks, as the kernel's events.
 */
#ifndef SONDE_INPUTS_FOREIGN_GRAPHLINES_H
#define SONDE_INPUTS_FOREIGN_GRAPHLINES_H

#include "base/map.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stdint.h>

struct ftraceline;
struct maker;

struct graphlines {
	struct maker *maker;
	struct map tasks;   /* the open calls, by pid */
	struct map cpus;    /* function: the calls by depth, by CPU */
	uint64_t n_unnamed; /* ends of calls whose beginning is missing */
};

/* Adds the formats to those of the maker. */
void graphlines_init(struct graphlines *g, struct maker *m);
void graphlines_release(struct graphlines *g);

/* "name <-- parent". Returns 0, or a negative errno. */
int graphlines_add_function(struct graphlines *g, const struct ftraceline *l);
/*
 * "+ 13.635 us |  name();" next_ns: the time of the next line; the end of a call without others
 * inside comes before it. Returns -EINVAL if the text has another form.
 */
int graphlines_add_call(struct graphlines *g, const struct ftraceline *l, uint64_t next_ns);
/* frames: the texts of the lines, from the inside out. */
int graphlines_add_stack(struct graphlines *g, const struct ftraceline *l,
			 const struct piece *frames, size_t n);

#endif
