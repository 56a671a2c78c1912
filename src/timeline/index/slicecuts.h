/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slicecuts.h - cuts a range into slices so that all threads have about the same work. */
#ifndef SONDE_TIMELINE_INDEX_SLICECUTS_H
#define SONDE_TIMELINE_INDEX_SLICECUTS_H

#include "timeline/timeline.h"

/*
 * Makes *ret_n slices, at most max. Slice i is [cuts[i], cuts[i + 1]); cuts has room for max + 1.
 * All slices except the first begin at a boundary of buckets of 2^level ns. Returns 0 or -ENOMEM.
 */
int slice_cuts(struct timeline *tl, uint64_t from, uint64_t to, int level, uint64_t *cuts,
	       size_t max, size_t *ret_n);

#endif
