// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stracetable.c - the summary of system calls in strace's form.
 *
 *	% time     seconds  usecs/call     calls    errors syscall
 *	------ ----------- ----------- --------- --------- ----------------
 *	 51.02    0.001200           4       300         1 read
 *
 * The columns and their widths are strace's. The times are those from the beginning of a call to its
 * end, which strace shows with -w; without it, strace shows the CPU time in the kernel.
 */
#include "present/syscalls/stracetable.h"

#include "base/textbuf.h"
#include "symbols/syscalls/types.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE	  "------ ----------- ----------- --------- --------- ----------------\n"
#define NS_PER_US 1000

static void add_row(struct textbuf *tb, double share, uint64_t ns, uint64_t n, uint64_t n_errors,
		    const char *name)
{
	char errors[24] = "";

	if (n_errors)
		snprintf(errors, sizeof(errors), "%" PRIu64, n_errors);
	textbuf_addf(tb, "%6.2f %11.6f %11" PRIu64 " %9" PRIu64 " %9s %s\n", share,
		     (double)ns / 1e9, n ? ns / NS_PER_US / n : 0, n, errors, name);
}

void stracetable_fmt(struct callsummary *s, enum callsummary_key key, struct textbuf *tb)
{
	uint64_t ns = 0, n = 0, n_errors = 0;
	size_t n_rows;
	const struct callsummary_row *const *rows = callsummary_sort(s, key, &n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		ns += rows[i]->spread.total;
		n += rows[i]->spread.n;
		n_errors += rows[i]->n_errors;
	}
	textbuf_add_str(tb, "% time     seconds  usecs/call     calls    errors syscall\n" LINE);
	for (size_t i = 0; i < n_rows; i++) {
		const char *name = syscallnames_find(rows[i]->machine, rows[i]->nr);
		char number[32];

		snprintf(number, sizeof(number), "syscall_%#x", rows[i]->nr);
		add_row(tb, ns ? 100.0 * (double)rows[i]->spread.total / (double)ns : 0,
			rows[i]->spread.total, rows[i]->spread.n, rows[i]->n_errors,
			name ? name : number);
	}
	textbuf_add_str(tb, LINE);
	add_row(tb, 100, ns, n, n_errors, "total");
	if (callsummary_n_lost(s))
		textbuf_addf(tb, "<... %" PRIu64 " system calls lost ...>\n",
			     callsummary_n_lost(s));
}
