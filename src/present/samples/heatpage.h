/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heatpage.h - a heat map of samples as a picture, and as a page in which a chosen range becomes a
 * flame graph.
 */
#ifndef SONDE_PRESENT_SAMPLES_HEATPAGE_H
#define SONDE_PRESENT_SAMPLES_HEATPAGE_H

#include "base/textbuf.h"

#include <stdbool.h>

struct heat;

struct heatpage_view {
	const struct heat *heat;
	const char *title, *event;
	bool in_time;	    /* weights are ns */
	const char *script; /* web/heatpage.js */
	size_t script_len;
};

/* A picture without stacks. */
void heatpage_fmt_svg(const struct heatpage_view *v, struct textbuf *tb);
/* A page that needs nothing else, with all stacks. */
void heatpage_fmt_html(const struct heatpage_view *v, struct textbuf *tb);

#endif
