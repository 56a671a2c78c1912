/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotatetext.h - a function's instructions and source lines with their shares, as text and JSON.
 */
#ifndef SONDE_PRESENT_SAMPLES_ANNOTATETEXT_H
#define SONDE_PRESENT_SAMPLES_ANNOTATETEXT_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct annotation;
struct codelines;
struct jsonwriter;

struct annotate_view {
	const struct annotation *annotation;
	const struct codelines *code;
	uint64_t weight_all; /* of all samples */
	const char *event;
	bool in_time;
	bool colour;
	bool only_hot;	 /* omit instructions without samples */
	bool no_sources; /* only instructions */
};

void annotatetext_fmt(const struct annotate_view *v, struct textbuf *tb);
/* One object of an open array. */
void annotatetext_add_json(const struct annotate_view *v, struct jsonwriter *w);

#endif
