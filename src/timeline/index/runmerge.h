/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runmerge.h - merges adjacent sorted runs of items into one run in time order. */
#ifndef SONDE_TIMELINE_INDEX_RUNMERGE_H
#define SONDE_TIMELINE_INDEX_RUNMERGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts n items of `size` bytes, with the time in the lower 48 bits of their first 8. At equal
 * times the earlier position comes first. *items may become another block, which the caller frees
 * instead. After -ENOMEM no item is lost, but they are not sorted.
 */
int runs_merge(uint8_t **items, size_t n, size_t size);

#endif
