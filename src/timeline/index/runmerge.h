/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runmerge.h - items that stand in some ordered runs, one behind the other, in one order of time.
 */
#ifndef SONDE_TIMELINE_INDEX_RUNMERGE_H
#define SONDE_TIMELINE_INDEX_RUNMERGE_H

#include <stddef.h>
#include <stdint.h>

/*
 * n items of `size` bytes, with the time in the lower 48 bits of their first 8; of equal times the earlier place counts.
 * *items may become another block, which the caller frees as the first one. -ENOMEM: nothing is lost, nor in order.
 */
int runs_merge(uint8_t **items, size_t n, size_t size);

#endif
