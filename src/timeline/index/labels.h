/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * labels.h - texts by number: names of functions, interrupts, system calls that lanes show.
 *
 * A text keeps its number as long as the table lives, whatever lanes come and go, so that the page may
 * keep what it has asked for once. 0 is "?": also what a text gets that does not fit any more. Any thread.
 *
 * The low LABEL_COLOUR_BITS of a number come from the text alone: by them it is coloured, so a function has the
 * same colour in every picture, whoever was met first.
 */
#ifndef SONDE_TIMELINE_INDEX_LABELS_H
#define SONDE_TIMELINE_INDEX_LABELS_H

#include "base/arena.h"

#include <pthread.h>
#include <stdint.h>

#define LABELS_MAX	  (1u << 20)
#define LABEL_COLOUR_BITS 6
#define LABEL_COLOURS	  (1u << LABEL_COLOUR_BITS)

struct labels {
	pthread_mutex_t lock;
	struct arena arena;
	const char **texts; /* by number; NULL: not given yet */
	uint32_t n, cap;
	uint32_t n_of[LABEL_COLOURS]; /* given of each colour */
	uint32_t *slots;
	uint32_t n_slots;
	uint64_t seed;
};

int labels_init(struct labels *l);
void labels_release(struct labels *l);
uint32_t labels_add(struct labels *l, const char *text, size_t len);
/* "?" for what there is not. Stays valid. */
const char *labels_find(struct labels *l, uint32_t number);

#endif
