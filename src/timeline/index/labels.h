/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * labels.h - numbered texts: names of functions, interrupts and system calls that lanes show.
 *
 * A text keeps its number as long as the table lives, even if its lanes are freed. So the page may
 * cache it. Number 0 is "?", which is also the number of a text that does not fit into the table.
 * Any thread may use it.
 *
 * The low LABEL_COLOUR_BITS of a number depend on the text alone and select its colour. So a
 * function has the same colour in every picture, independent of the order of appearance.
 */
#ifndef SONDE_TIMELINE_INDEX_LABELS_H
#define SONDE_TIMELINE_INDEX_LABELS_H

#include "base/arena.h"
#include "base/map.h"

#include <pthread.h>
#include <stdint.h>

#define LABELS_MAX	  (1u << 20)
#define LABEL_COLOUR_BITS 6
#define LABEL_COLOURS	  (1u << LABEL_COLOUR_BITS)

struct labels {
	pthread_mutex_t lock;
	struct arena arena;
	const char **texts; /* texts by number; NULL: the number is not in use */
	uint32_t cap;
	uint32_t n_of[LABEL_COLOURS]; /* number of texts of each colour */
	struct map numbers;	      /* by the hash of the text */
	uint64_t seed;
};

int labels_init(struct labels *l);
void labels_release(struct labels *l);
uint32_t labels_add(struct labels *l, const char *text, size_t len);
/* Returns the text of a number, or "?" if it is unknown. The text stays valid. */
const char *labels_find(struct labels *l, uint32_t number);

#endif
