/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counttext.h - counts as a table with bars; JSON, CSV.
 */
#ifndef SONDE_PRESENT_RESULT_COUNTTEXT_H
#define SONDE_PRESENT_RESULT_COUNTTEXT_H

#include "analyse/keycount.h"
#include "base/textbuf.h"

struct count_view {
	struct keycount *counts; /* after keycount_finish() */
	const char *in_kernel;	 /* what counted in the kernel: "BPF", "hist"; NULL: nothing */
	uint64_t n_missed;	 /* reported by the kernel: in no row, and not in the total */
	const char *only_in;	 /* "the command's first thread": only it was counted; NULL: all */
	bool colour;
	size_t n_rows;	     /* shown as text; 0: all */
	unsigned long width; /* of the terminal; 0: 100 */
};

void counttext_fmt(const struct count_view *v, struct textbuf *tb);
void counttext_fmt_json(const struct count_view *v, struct textbuf *tb);
void counttext_fmt_csv(const struct count_view *v, struct textbuf *tb);

#endif
