/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture_int.h - a picture while it is drawn: svg.c draws the frame, boxes.c the content of lanes.
 */
#ifndef SONDE_VIEW_PICTURE_PICTURE_INT_H
#define SONDE_VIEW_PICTURE_PICTURE_INT_H

#include "base/textbuf.h"
#include "decode/timeconv.h"
#include "view/picture/lanewords.h"
#include "view/picture/palette.h"
#include "view/picture/picture.h"

struct drawing {
	struct stage *st;
	struct time_unit unit;
	const struct picture *pic;
	struct textbuf *out;
	struct lane *lane;
	double scale;	    /* pixels for a nanosecond */
	double y;	    /* of the current lane, where its boxes begin */
	double height;	    /* of one row of it */
	double low, high;   /* range of its numbers */
	double label_width; /* of the column with names */
	bool used[PALETTE_N];
};

/* Draws the whole current lane. */
int drawing_add_boxes(struct drawing *d);

/* Adds text escaped for XML; invalid characters become question marks. */
void drawing_add_text(struct textbuf *out, const char *text);
/* Approximate width of a text in pixels, for a font of that size: no font metrics exist here. */
double drawing_text_width(const char *text, double font_px);
/* "12.345 µs"; for a clock that does not count time "12345 cycles" */
void drawing_fmt_duration(const struct drawing *d, char *buf, size_t size, double n);

#endif
