/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placenames.h - names of the functions that have samples, as lines of kallsyms.
 *
 *	placenames_see        one thread: a place has been sampled
 *	placenames_update     another thread, now and then: finds the names of new places
 *	placenames_finish     the same thread, at the end: the last ones, and those of JIT code
 *	placenames_add        that thread: the lines so far
 *
 * Every place that was seen gets a line at its function's beginning, whether the function has a
 * name or not, so that no reader takes a neighbour for it.
 */
#ifndef SONDE_CAPTURE_PERF_PLACENAMES_H
#define SONDE_CAPTURE_PERF_PLACENAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codefiles;
struct placenames;
struct textbuf;

/*
 * wants_kernel: the trace has no symbols of the kernel. each_place: each place gets a line, not
 * each function. NULL: out of memory.
 */
struct placenames *placenames_new(struct codefiles *files, bool wants_kernel, bool each_place);
void placenames_free(struct placenames *n);

void placenames_see_slow(struct placenames *n, uint64_t place);

/* The places that were seen last, for one thread. Begins with zeros. */
#define PLACENAMES_RECENT 4096u
struct placenames_recent {
	uint64_t places[PLACENAMES_RECENT];
};
static inline void placenames_see(struct placenames *n, struct placenames_recent *recent,
				  uint64_t place)
{
	uint64_t *slot = &recent->places[(place * 0x9e3779b97f4a7c15u) >> 52];

	if (__builtin_expect(*slot == place, 1))
		return;
	*slot = place;
	placenames_see_slow(n, place);
}

void placenames_update(struct placenames *n);
void placenames_finish(struct placenames *n);
/* Adds the lines from byte *from on; *from is then their end. */
void placenames_add(const struct placenames *n, size_t *from, struct textbuf *tb);
/* Number of places that were sampled, and of those without a name. */
void placenames_count(const struct placenames *n, size_t *ret_places, size_t *ret_unnamed);

#endif
