/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltimestext.h - kernel functions with their times: text, JSON, CSV, and perf's format.
 */
#ifndef SONDE_PRESENT_RESULT_CALLTIMESTEXT_H
#define SONDE_PRESENT_RESULT_CALLTIMESTEXT_H

#include "analyse/calltimes.h"
#include "base/textbuf.h"

struct calltimes_view {
	struct calltimes *calls; /* after calltimes_finish() */
	bool in_time;
	bool colour;
	size_t n_rows; /* shown as text; 0: all */
};

void calltimestext_fmt(const struct calltimes_view *v, struct textbuf *tb);
void calltimestext_fmt_json(const struct calltimes_view *v, struct textbuf *tb);
void calltimestext_fmt_csv(const struct calltimes_view *v, struct textbuf *tb);
/* The table of `perf ftrace profile`. */
void calltimestext_fmt_perf(const struct calltimes_view *v, struct textbuf *tb);

#endif
