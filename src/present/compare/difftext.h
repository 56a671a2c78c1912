/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difftext.h - prints what differs between two recordings: as text, JSON and CSV.
 */
#ifndef SONDE_PRESENT_COMPARE_DIFFTEXT_H
#define SONDE_PRESENT_COMPARE_DIFFTEXT_H

#include "analyse/compare/compare.h"
#include "base/textbuf.h"

struct diff_side {
	const char *path;
	const struct measures *measures;
	uint64_t n_gaps;
};

struct diff_view {
	const struct compare *compare;
	struct diff_side a, b;
	size_t n_rows; /* limit of rows in text; 0: all */
	bool in_time;  /* times are nanoseconds */
	bool colour, all;
};

void difftext_fmt(const struct diff_view *v, struct textbuf *tb);
void difftext_fmt_json(const struct diff_view *v, struct textbuf *tb);
void difftext_fmt_csv(const struct diff_view *v, struct textbuf *tb);

/* The bit of a kind by its word: "syscall"; 0: there is no such kind. */
uint32_t diff_find_kind(const char *word, size_t len);
/* "function, kernel-function, …" */
void diff_fmt_kinds(struct textbuf *tb);

#endif
