/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tabletext.h - tables of samples as text, JSON and CSV.
 */
#ifndef SONDE_PRESENT_SAMPLES_TABLETEXT_H
#define SONDE_PRESENT_SAMPLES_TABLETEXT_H

#include "analyse/samples/sampletable.h"
#include "base/textbuf.h"

struct jsonwriter;

struct tabletext_view {
	const struct sampletable *table;
	const struct sampletable_config *config;
	const char *event; /* its name */
	bool in_time;	   /* weights are ns */
	bool colour;
	size_t n_rows; /* limit of text rows; 0: all */
};

/* The head and the rows of one event. */
void tabletext_fmt(const struct tabletext_view *v, struct textbuf *tb);
void tabletext_fmt_csv(const struct tabletext_view *v, struct textbuf *tb);
/* One object of an open array. */
void tabletext_add_json(const struct tabletext_view *v, struct jsonwriter *w);

#endif
