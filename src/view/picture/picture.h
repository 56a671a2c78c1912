/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - draws lanes of a range as a picture (SVG), or as a page that needs no server (HTML).
 */
#ifndef SONDE_VIEW_PICTURE_PICTURE_H
#define SONDE_VIEW_PICTURE_PICTURE_H

#include "base/textbuf.h"
#include "view/stage.h"

#define PICTURE_LANES_MAX 256
#define PICTURE_WIDTH_MIN 200
#define PICTURE_WIDTH_MAX 16384
#define PICTURE_ROWS_MAX  40 /* limit of rows of a lane; deeper nesting is not drawn */

#define PICTURE_MARKS_MAX 200 /* limit, as on the page */
struct picture_mark {
	uint64_t t;
	char name[8];
};

struct picture {
	uint64_t from, to;
	unsigned width; /* width of the part with lanes, in pixels */
	const char *const *specs;
	size_t n_specs;
	const struct selection *sel; /* events that a page lists and counts; NULL: all */
	/* tasks in the table of a page, in the form of insight.h; NULL: all */
	const uint8_t *tasks;
	const struct picture_mark *marks;
	size_t n_marks;
	uint64_t range_from, range_to; /* range selected by the user; equal: none */
	/* Shows the reason in place of a lane that cannot be built. If false, the picture fails. */
	bool shows_refused;
	bool is_page; /* the picture is for a page: its script zooms, its style has both themes */
};

/* Names a mark that has no name, as the page does: number 1 is "B". */
void picture_name_mark(struct picture_mark *m, size_t number);

/*
 * Splits SPEC,SPEC… in place; pairs and fields have no commas. Returns the number of specs, at most
 * max.
 */
size_t picture_split(char *specs, const char **ret, size_t max);

/*
 * Draws the picture. Returns -EINVAL with a message for an invalid name of a lane and, without
 * shows_refused, for a lane that cannot be built.
 */
int picture_add_svg(struct stage *st, const struct picture *pic, struct textbuf *out,
		    struct errmsg *err);
/*
 * Makes a page: the picture with zoom and tooltips, the range's numbers, and its events up to a
 * ceiling.
 */
int picture_add_html(struct stage *st, const struct picture *pic, struct textbuf *out,
		     struct errmsg *err);

#endif
