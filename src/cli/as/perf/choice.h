/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * choice.h - what perf report, script, annotate and diff share: opening the file, choosing samples,
 * the header of the file.
 */
#ifndef SONDE_CLI_AS_PERF_CHOICE_H
#define SONDE_CLI_AS_PERF_CHOICE_H

#include "inputs/perfdata/session.h"

struct output;

/* Words as the user wrote them; the rest is made by perf_choice_init(). */
struct perf_choice {
	const char *comms, *dsos, *symbols, *pids, *tids, *cpus, *time;
	uint64_t from_ns, to_ns; /* to_ns 0: no end */
	uint64_t *cpu_bits;	 /* NULL: all */
	size_t n_cpus;
};

/* path NULL: perf.data. Messages are perf's. */
int perf_open(struct perfsession **ret, const char *path, struct errmsg *err);
/* Prints what is damaged. Returns the exit status. */
int perf_report_damage(struct perfsession *s);

int perf_choice_init(struct perf_choice *f, struct errmsg *err);
/* Fails if the samples do not have what they are chosen by. */
int perf_choice_check(const struct perf_choice *f, struct perfsession *s, struct errmsg *err);
void perf_choice_release(struct perf_choice *f);
bool perf_choice_takes(const struct perf_choice *f, struct perfsession *s,
		       const struct perfsample *sample);
/* Is the word one of a list with commas? NULL: all are. */
bool perf_choice_has(const char *list, const char *word);

/* --header: what the file says of the machine and of the recording. */
int perf_print_header(struct perfsession *s, struct output *out);

#endif
