/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * calldiff.h - the functions of two traces, side by side.
 *
 *	calldiff_new ─▶ rows ─▶ calldiff_free
 *
 * Functions are the same if their names and their files are. Only one thread may use it at a time.
 */
#ifndef SONDE_ANALYSE_CALLS_CALLDIFF_H
#define SONDE_ANALYSE_CALLS_CALLDIFF_H

#include "analyse/calltimes.h"

struct calldiff_row {
	const struct calltimes_row *base, *other; /* one of them may be NULL: not called */
};

struct calldiff {
	struct calldiff_row *rows;
	size_t n;
};

/*
 * Both after calltimes_finish(), without groups; they must stay. The largest difference of `sort`
 * first. 0 or -ENOMEM.
 */
int calldiff_init(struct calldiff *d, const struct calltimes *base, const struct calltimes *other,
		  enum calltimes_column sort);
void calldiff_release(struct calldiff *d);

/* The number of the other trace minus that of the base. */
int64_t calldiff_number(const struct calldiff_row *row, enum calltimes_column column);
const char *calldiff_name(const struct calldiff_row *row);

#endif
