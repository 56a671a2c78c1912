/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * studytext.h - the answer to a question of analyse/study/study.h, as a table or as JSON.
 */
#ifndef SONDE_PRESENT_RESULT_STUDYTEXT_H
#define SONDE_PRESENT_RESULT_STUDYTEXT_H

#include "analyse/study/study.h"
#include "base/json/jsonwriter.h"

/* One line about the trace as a whole. */
void studytext_fmt_head(const struct study_range *range, bool in_time, struct textbuf *tb);
/* in_time: the trace's clock counts ns; otherwise its units are printed. */
void studytext_fmt(const struct study *s, bool in_time, bool colour, struct textbuf *tb);
/* One object, added to what is open in w. */
void studytext_fmt_json(const struct study *s, bool in_time, struct jsonwriter *w);

#endif
