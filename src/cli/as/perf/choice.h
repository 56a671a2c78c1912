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
#define PERF_CHOICE_RANGES_MAX 10
struct perf_choice {
	const char *comms, *dsos, *symbols, *pids, *tids, *cpus, *time;
	uint64_t from_ns, to_ns; /* to_ns 0: no end */
	struct {
		uint64_t from_ns, to_ns;
	} ranges[PERF_CHOICE_RANGES_MAX]; /* of --time 10%/2 */
	size_t n_ranges;		  /* 0: all times */
	uint64_t *cpu_bits;		  /* NULL: all */
	size_t n_cpus;
};

/* path NULL: perf.data. Messages are perf's. */
int perf_open(struct perfsession **ret, const char *path, struct errmsg *err);
/* Prints what is damaged. Returns the exit status. */
int perf_report_damage(struct perfsession *s);

int perf_choice_init(struct perf_choice *f, struct errmsg *err);
/*
 * Finds the times that parts of the recording mean. Fails if the file does not have what samples
 * are chosen by.
 */
int perf_choice_check(struct perf_choice *f, struct perfsession *s, struct errmsg *err);
void perf_choice_release(struct perf_choice *f);
/* Does it pass the choice of CPUs and times? report leaves out those that do not. */
bool perf_choice_sees(const struct perf_choice *f, const struct perfsample *sample);
/* Does it pass all choices? */
bool perf_choice_takes(const struct perf_choice *f, struct perfsession *s,
		       const struct perfsample *sample);
/* Is the word one of a list with commas? NULL: all are. */
bool perf_choice_has(const char *list, const char *word);

/* --header: what the file says of the machine and of the recording. */
int perf_print_header(struct perfsession *s, struct output *out);

#endif
