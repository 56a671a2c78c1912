/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltimestext.h - prints functions with their times: as text, JSON, CSV, as the difference of two
 * traces, and in perf's format.
 */
#ifndef SONDE_PRESENT_RESULT_CALLTIMESTEXT_H
#define SONDE_PRESENT_RESULT_CALLTIMESTEXT_H

#include "analyse/calltimes.h"
#include "base/textbuf.h"

#define CALLTIMES_COLUMNS_MAX 20

/* The columns of a table of functions. The name of the function always follows them. */
struct calltimes_columns {
	enum calltimes_column
		list[CALLTIMES_COLUMNS_MAX]; /* CALLTIMES_MODULE is printed after the name */
	size_t n;			     /* 0: calls, total, self, avg, max */
};

struct calltimes_view {
	struct calltimes *calls; /* after calltimes_finish() */
	bool in_time;
	bool colour;
	bool sources;  /* show where functions begin in their source */
	size_t n_rows; /* limit of text rows; 0: all */
	struct calltimes_columns columns;
};

/*
 * Parses names of columns, with commas between them: "total", "self-avg" … "all" is every column,
 * "+WORD" adds to the default columns. Returns -EINVAL with a message that names option.
 */
int calltimes_columns_parse(const char *option, const char *words, struct calltimes_columns *ret,
			    struct errmsg *err);
/* Parses the columns to sort by, with commas between them, and calls calltimes_column_need(). */
int calltimes_sort_parse(const char *option, const char *words, struct calltimes_config *config,
			 struct errmsg *err);
/* Sets calltimes_config.with_spread and with_deviation if the column needs them. */
void calltimes_column_need(enum calltimes_column column, struct calltimes_config *config);

void calltimestext_fmt(const struct calltimes_view *v, struct textbuf *tb);
void calltimestext_fmt_json(const struct calltimes_view *v, struct textbuf *tb);
void calltimestext_fmt_csv(const struct calltimes_view *v, struct textbuf *tb);
/* Compares two traces: prints the numbers of the second one, and the differences. */
struct calldiff;
void calltimestext_fmt_diff(const struct calltimes_view *v, const struct calldiff *d,
			    struct textbuf *tb);
void calltimestext_fmt_diff_json(const struct calltimes_view *v, const struct calldiff *d,
				 struct textbuf *tb);
void calltimestext_fmt_diff_csv(const struct calltimes_view *v, const struct calldiff *d,
				struct textbuf *tb);
/* Prints the table of `perf ftrace profile`. */
void calltimestext_fmt_perf(const struct calltimes_view *v, struct textbuf *tb);

#endif
