/* SPDX-License-Identifier: GPL-2.0-or-later */
/* studytext.h - prints the answer to a question of analyse/study/study.h, as a table or as JSON. */
#ifndef SONDE_PRESENT_RESULT_STUDYTEXT_H
#define SONDE_PRESENT_RESULT_STUDYTEXT_H

#include "analyse/study/study.h"
#include "base/json/jsonwriter.h"

/* Prints an answer. in_time: the trace's clock counts ns; otherwise its units are printed. */
void studytext_fmt(const struct study *s, bool in_time, bool colour, struct textbuf *tb);
/* Adds one object to the open array or object of w. */
void studytext_fmt_json(const struct study *s, bool in_time, struct jsonwriter *w);

/* The answers of a recipe. */
struct study_report {
	const char *recipe;
	struct study *const *studies;
	size_t n;
	const struct study_range *range;
	bool in_time;
	const struct textbuf *notes; /* one note per line */
};

void studytext_fmt_report(const struct study_report *r, bool colour, struct textbuf *tb);
void studytext_fmt_report_json(const struct study_report *r, struct textbuf *tb);

#endif
