/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h - lanes of a range as a picture (SVG), and as a page that needs no server (HTML).
 */
#ifndef SONDE_VIEW_PICTURE_PICTURE_H
#define SONDE_VIEW_PICTURE_PICTURE_H

#include "base/textbuf.h"
#include "view/stage.h"

#define PICTURE_LANES_MAX 256
#define PICTURE_WIDTH_MIN 200
#define PICTURE_WIDTH_MAX 16384
#define PICTURE_ROWS_MAX  40 /* of a lane; deeper nesting is not drawn */

#define PICTURE_MARKS_MAX 200 /* as on the page */
struct picture_mark {
	uint64_t t;
	char name[8];
};

struct picture {
	uint64_t from, to;
	unsigned width; /* of the part with lanes, in pixels */
	const char *const *specs;
	size_t n_specs;
	const struct selection *sel; /* events that a page lists and counts; NULL: all */
	const uint8_t *tasks;	     /* in its table, in the form of insight.h; NULL: all */
	const struct picture_mark *marks;
	size_t n_marks;
	uint64_t range_from, range_to; /* selected by the user; equal: none */
	/* Show the reason in place of a lane that cannot be built; otherwise the picture fails. */
	bool shows_refused;
	bool is_page; /* for a page: its script zooms, its style has both themes */
};

/* Names a mark that has no name, as the page does: number 1 is "B". */
void picture_name_mark(struct picture_mark *m, size_t number);

/* Splits SPEC,SPEC… in place; pairs and fields have no commas. Returns the number, at most max. */
size_t picture_split(char *specs, const char **ret, size_t max);

/*
 * -EINVAL with a message for an invalid name of a lane; without shows_refused also for a lane that
 * cannot be built.
 */
int picture_add_svg(struct stage *st, const struct picture *pic, struct textbuf *out,
		    struct errmsg *err);
/* The picture with zoom and tooltips, the range's numbers, and its events up to a ceiling. */
int picture_add_html(struct stage *st, const struct picture *pic, struct textbuf *out,
		     struct errmsg *err);

#endif
