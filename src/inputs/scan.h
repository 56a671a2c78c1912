/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * scan.h - the parallel scan: folds all events of a trace into one result, with all CPUs.
 *
 *	trace ──▶ slice │ slice │ slice │ slice       cut at times of sub-buffers
 *	            ▼       ▼       ▼       ▼         a worker folds a slice into a state
 *	          state   state   state   state
 *	            └──join──┴──join──┴──join─┴──▶ result      in the order of time
 *
 * A fold is four functions: init makes a state, add takes a record, join adds the state of the next
 * slice to the result, and release frees a state. join sees the slices in the order of time, so
 * that it can close what is open over a cut. The result is that of a serial walk, for any number of
 * threads.
 */
#ifndef SONDE_INPUTS_SCAN_H
#define SONDE_INPUTS_SCAN_H

#include "decode/formats/formats.h"
#include "decode/walker.h"
#include "inputs/sources.h"
#include "symbols/tasks.h"

struct scan_fold {
	void *ctx; /* the result */
	/*
	 * Makes the state of a worker. f belongs to the worker and outlives the state. Returns 0 or
	 * a negative errno.
	 */
	int (*init)(void *ctx, struct formats *f, void **ret_state);
	/* Returns flags of the relevant events, by event id. */
	const uint8_t *(*events)(void *state, size_t *ret_n);
	void (*add)(void *state, const struct record *rec);
	/* Optional, without a configuration: as in struct taskwalk_spec, with the state. */
	void (*run)(void *state, struct walker *w, struct record *rec, uint64_t offset,
		    uint64_t before);
	/*
	 * Adds a state to the result and empties it. tasks: where the result finds its tasks; those
	 * of the state are the worker's. Only one thread at a time joins. Returns 0, or -EAGAIN if
	 * only a serial walk gives the right result.
	 */
	int (*join)(void *ctx, void *state, struct tasks *tasks);
	void (*release)(void *state);
	bool uses_names; /* names of tasks are part of the result */
};

/*
 * Folds the events of src, which has one file and nothing read yet. config: that of src; NULL: src
 * is of inputs_sources_list(), and is walked as by taskwalk(). Returns 1 if done, or 0 if the
 * caller must walk src serially, with a new result: the trace is small, damaged or not in order,
 * or there is one thread.
 */
int scan_run(const struct inputs_sources *src, const struct sequence_config *config,
	     const struct scan_fold *fold);

#endif
