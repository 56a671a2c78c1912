/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tilewire.h - encodes tiles for the page: the binary answer of POST api/tiles (doc/VIEWER.md). */
#ifndef SONDE_VIEW_TILEWIRE_H
#define SONDE_VIEW_TILEWIRE_H

#include "base/textbuf.h"
#include "timeline/lanes/lane.h"

#define TILEWIRE_MAGIC 0x454c4954u /* "TILE" */

void tilewire_add_head(struct textbuf *tb, uint32_t seq, uint32_t count);
/* Adds a tile. low and high are the range of a counter lane. */
void tilewire_add_tile(struct textbuf *tb, enum lane_kind kind, unsigned n_rows, double low,
		       double high, const struct tile *tile);
/* Adds the reason why a tile cannot be made. */
void tilewire_add_refusal(struct textbuf *tb, const char *sentence);

#endif
