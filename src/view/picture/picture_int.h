/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture_int.h - the state of a picture while it is drawn: svg.c draws the frame, boxes.c the
 * content of lanes.
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
	bool is_wide;	    /* the lane is only the first window of several */
	double scale;	    /* pixels per nanosecond */
	double y;	    /* top of the current lane's boxes */
	double height;	    /* height of one row of the lane */
	double low, high;   /* range of the lane's numbers */
	double label_width; /* width of the column with names */
	bool used[PALETTE_N];
};

/* Draws the whole current lane with that spec. */
int drawing_add_boxes(struct drawing *d, const char *spec);

/* Adds text escaped for XML; invalid characters become question marks. */
void drawing_add_text(struct textbuf *out, const char *text);
/*
 * Estimates the width of a text in pixels for a font of that size, because there are no font
 * metrics.
 */
double drawing_text_width(const char *text, double font_px);
/* Writes "12.345 µs", or "12345 cycles" for a clock that does not count time. */
void drawing_fmt_duration(const struct drawing *d, char *buf, size_t size, double n);

#endif
