/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profiles.h - samples in the file formats of other viewers.
 *
 *	speedscope      JSON for speedscope.app: a profile for each thread, in the order of time
 *	pprof           gzip'ed protobuf for pprof, Grafana, Parca …: samples by stack
 *	Firefox         JSON for profiler.firefox.com ("Gecko profile"), in the order of time
 */
#ifndef SONDE_PRESENT_SAMPLES_PROFILES_H
#define SONDE_PRESENT_SAMPLES_PROFILES_H

#include "base/textbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct sampleinfo;
struct stacknames;
struct sampleset;

struct profile_view {
	const struct sampleset *set; /* with SAMPLESET_TIME and SAMPLESET_TASK, if there are any */
	struct stacknames *names;
	const struct sampleinfo *info; /* NULL: none */
	const char *title;
	const char *event;
	bool in_time; /* weights are ns */
};

/* 0 or -ENOMEM. */
int speedscope_fmt(const struct profile_view *v, struct textbuf *tb);
int pprof_fmt(const struct profile_view *v, struct textbuf *tb);
int firefox_fmt(const struct profile_view *v, struct textbuf *tb);

/*
 * The rows of a set by thread, each in its order: what formats with a profile for each thread need.
 */
struct profile_rows {
	uint32_t *order; /* numbers of rows */
	size_t n;
};
int profile_rows_init(struct profile_rows *p, const struct sampleset *set);
void profile_rows_release(struct profile_rows *p);
/* How many rows from `at` on are of the same thread. */
size_t profile_rows_run(const struct profile_rows *p, const struct sampleset *set, size_t at);

#endif
