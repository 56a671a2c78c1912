/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - `uftrace report`: a table of functions or tasks, sorted, or the difference of two.
 */
#ifndef SONDE_PRESENT_UFTRACE_REPORT_H
#define SONDE_PRESENT_UFTRACE_REPORT_H

#include "analyse/uftrace/tally.h"
#include "present/uftrace/out.h"

struct uft_report_config {
	const char *fields, *sort_keys; /* NULL: default */
	bool avg_total, avg_self, srcline, is_task;
	const char *policy; /* --diff-policy, NULL: default */
	int sort_column;
	/* --diff: what the two recordings are called, and who made them */
	const char *base, *base_command, *other, *other_command;
};

/* False: a sort key is unknown. */
bool uft_report_check_keys(const struct uft_report_config *c, bool is_diff);
/* other: NULL without --diff. False: a field is unknown, and o says so. */
bool uft_report_print(struct uft_tally *t, struct uft_tally *other,
		      const struct uft_report_config *c, struct uft_out *o);

#endif
