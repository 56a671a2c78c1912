/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lanedraw.h - draws one lane of the timeline as lines of block characters. */
#ifndef SONDE_TUI_LANEDRAW_H
#define SONDE_TUI_LANEDRAW_H

#include "timeline/lanes/lane.h"
#include "tui/canvas.h"
#include "view/stage.h"

/* Tiles that were made before, so that moving does not make them again. */
struct tile_cache;

struct lane_frame {
	struct stage *st;
	struct tile_cache *tiles;
	uint64_t from, to; /* the visible range */
	unsigned x, width; /* columns of the canvas */
	int n_colours;
};

int tile_cache_new(struct tile_cache **ret);
void tile_cache_free(struct tile_cache *c);
/* Forgets all tiles: the index has grown, or a selection is another one. */
void tile_cache_clear(struct tile_cache *c);

/*
 * Draws a lane from line y on. height: the number of lines, one for each row of the lane. A lane
 * that cannot be built shows the reason.
 */
void lane_draw(const struct lane_frame *f, const char *spec, struct canvas *c, unsigned y,
	       unsigned height);

/* Returns the first time of a column, and of the one after the last: `to`. */
uint64_t lane_frame_time(const struct lane_frame *f, double column);

#endif
