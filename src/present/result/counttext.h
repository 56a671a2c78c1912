/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counttext.h - prints counts as a table with bars, as JSON or as CSV. */
#ifndef SONDE_PRESENT_RESULT_COUNTTEXT_H
#define SONDE_PRESENT_RESULT_COUNTTEXT_H

#include "analyse/keycount.h"
#include "base/textbuf.h"

struct count_view {
	struct keycount *counts; /* after keycount_finish() */
	/* the method that counted in the kernel: "BPF", "hist"; NULL: sonde counted */
	const char *in_kernel;
	/* events missed by the kernel; they are in no row, and not in the total */
	uint64_t n_missed;
	/* "the command's first thread" if only this was counted; NULL: all */
	const char *only_in;
	bool colour;
	size_t n_rows;	     /* limit of text rows; 0: all */
	unsigned long width; /* width of the terminal; 0: 100 */
};

void counttext_fmt(const struct count_view *v, struct textbuf *tb);
void counttext_fmt_json(const struct count_view *v, struct textbuf *tb);
void counttext_fmt_csv(const struct count_view *v, struct textbuf *tb);

#endif
