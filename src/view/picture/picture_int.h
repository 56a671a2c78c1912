/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture_int.h - a picture while it is drawn: svg.c makes its frame, boxes.c what is in the lanes.
 */
#ifndef SONDE_VIEW_PICTURE_PICTURE_INT_H
#define SONDE_VIEW_PICTURE_PICTURE_INT_H

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
	double y;	    /* of the lane at hand, where its boxes begin */
	double height;	    /* of one row of it */
	double low, high;   /* range of its numbers */
	double label_width; /* of the column with names */
	bool used[PALETTE_N];
};

/* The lane at hand, all of it. */
int drawing_add_boxes(struct drawing *d);

/* Text as XML wants it; what is no character of it becomes a question mark. */
void drawing_add_text(struct textbuf *out, const char *text);
/* How wide a text is about, in pixels of a font of that size: no font is at hand. */
double drawing_text_width(const char *text, double font_px);
/* "12.345 µs"; of a clock that counts something else "12345 cycles" */
void drawing_fmt_duration(const struct drawing *d, char *buf, size_t size, double n);

#endif
