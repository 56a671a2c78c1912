/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfstat.h - the result of counters in the three forms of perf stat (Debian 12's perf 6.1): text
 * for people, -x for scripts, -j.
 */
#ifndef SONDE_PRESENT_COUNTERS_PERFSTAT_H
#define SONDE_PRESENT_COUNTERS_PERFSTAT_H

#include "analyse/counters/countertable.h"

struct textbuf;

enum perfstat_parts {
	PERFSTAT_ALL,
	PERFSTAT_CPU,
	PERFSTAT_CORE,
	PERFSTAT_DIE,
	PERFSTAT_SOCKET,
	PERFSTAT_NODE,
	PERFSTAT_THREAD,
};

struct perfstat {
	const struct countertable *table;
	const char *title; /* "'sleep 1'", "'system wide'", "process id '12'" */
	enum perfstat_parts parts;
	const char *separator; /* -x; NULL: text */
	bool is_json;
	bool has_noise; /* -r: a column with the deviation */
	bool is_interval;
	double since_s;
	unsigned n_interval; /* number of the interval, from 0: the heading comes every 25 */
};

void perfstat_fmt(const struct perfstat *p, struct textbuf *tb);

#endif
