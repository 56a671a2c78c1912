/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chromeevents.h - the events of Chrome's JSON, read one by one.
 *
 *	chromeevents_init
 *	    chromeevents_read     all events of the text
 *	    chromeevents_sort     by time; pairs of B and E become slices
 *	chromeevents_release
 */
#ifndef SONDE_INPUTS_FOREIGN_CHROMEEVENTS_H
#define SONDE_INPUTS_FOREIGN_CHROMEEVENTS_H

#include "base/arena.h"
#include "base/map.h"
#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread of a process, as the file numbers them. */
struct chrome_track {
	struct chrome_track *next; /* of the same hash */
	int64_t pid, tid;
	const char *name; /* NULL: none */
	int task;	  /* its number in the trace */
	uint32_t cpu;	  /* on which it was seen last */
	bool has_cpu;
	uint32_t depth; /* open slices, while they are written */
	size_t *open;	/* indexes of events B */
	size_t n_open, cap_open;
};

struct chrome_event {
	uint64_t start_ns, end_ns; /* end_ns: of a slice */
	struct chrome_track *track;
	const char *name, *text; /* text: the arguments */
	uint32_t cpu;
	bool has_cpu; /* the file says it */
	char phase;   /* X: a slice; i: an instant or a counter; B and E before they are sorted */
};

struct chromeevents {
	struct arena arena;
	struct map by_ids, names_of_processes, tasks;
	struct chrome_track **tracks;
	size_t n_tracks, cap_tracks;
	struct chrome_event *list;
	size_t n, cap;
	int n_made_tasks;
	uint64_t last_ns;
	uint64_t n_damaged, n_async, n_flows, n_other, n_unpaired, n_unended, n_derived;
	bool is_cut; /* the array does not end */
};

void chromeevents_init(struct chromeevents *e);
void chromeevents_release(struct chromeevents *e);
/* Returns 0, -EINVAL if there is no array of events, or -ENOMEM. */
int chromeevents_read(struct chromeevents *e, struct piece text);
int chromeevents_sort(struct chromeevents *e);

#endif
