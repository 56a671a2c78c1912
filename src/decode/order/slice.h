/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * slice.h - a part of a sequence, between two times, for several sequences over the same trace.
 *
 *	sequence_start ─▶ sequence_cut ─▶ sequence_places ─▶ sequence_fill … ─▶ sequence_places
 *
 * The slices of a trace are the whole trace, in its order, if each begins at the places at which
 * the one before it ended; the caller compares them. This is so if the times of each CPU never go
 * backwards. Names that were learned before a slice are not known in it.
 */
#ifndef SONDE_DECODE_ORDER_SLICE_H
#define SONDE_DECODE_ORDER_SLICE_H

#include "decode/order/sequence.h"

/* Returns the number of CPUs over all sources, or 0 if the sequence cannot be cut: live, truncated. */
size_t sequence_n_places(const struct sequence *s);

/*
 * The next sequence_fill() returns the records from the first one at or after `from` to the last
 * one before the first after `to`. May be called again, at any time, for another slice.
 */
void sequence_cut(struct sequence *s, uint64_t from, uint64_t to);

/* Stores where each CPU's next record is, sequence_n_places() numbers; UINT64_MAX: at its end. */
void sequence_places(const struct sequence *s, uint64_t *ret_places);

#endif
