/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taskwalk.h - visits the records of chosen events in time order.
 *
 * It has no filters, no batches, and does not learn names of tasks. It is for analyses of calls,
 * which need the order of each task's events. It takes half the time of decode/order/sequence.h.
 */
#ifndef SONDE_INPUTS_TASKWALK_H
#define SONDE_INPUTS_TASKWALK_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/record.h"
#include "decode/walker.h"
#include "inputs/sources.h"

struct taskwalk_spec {
	const uint8_t *events; /* flags of wanted events, by event id */
	size_t n_events;
	uint64_t from, to; /* inclusive; to: UINT64_MAX */
	void (*visit)(void *ctx, const struct record *rec);
	/*
	 * Optional: takes the next records of a CPU itself, see callflow_run(). Called after a
	 * visit, if the records have this machine's byte order and times need only an offset.
	 */
	void (*run)(void *ctx, struct walker *w, struct record *rec, uint64_t offset,
		    uint64_t before);
	void *ctx;
	const bool *stop; /* set to true by a visit to end the walk; NULL: walk to the end */
};

/*
 * Visits the wanted records of src, after inputs_sources_list(). A visited record has ts, cpu,
 * source, data, size, event, task and RECORD_MISSED. A record with that flag is visited even if its
 * event is not wanted. Its data is valid during the visit. Returns 0 or a negative errno. Damaged
 * data becomes damage of the file.
 */
int taskwalk(struct inputs_sources *src, const struct taskwalk_spec *spec);

/*
 * The same in slices, for the parallel scan (scan.h): all slices together are the walk if each
 * begins at the places at which the one before it ended.
 *
 *	taskwalk_new ─▶ taskwalk_slice … ─▶ taskwalk_free
 */
struct taskwalk;

/* src and spec must stay valid; spec has no `stop`. Returns NULL if memory is short. */
struct taskwalk *taskwalk_new(struct inputs_sources *src, const struct taskwalk_spec *spec);
void taskwalk_free(struct taskwalk *w);
SCOPED_POINTER(struct taskwalk, taskwalk_free)
/* Returns the number of CPUs of all sources, or 0 if there are no slices: live, truncated. */
size_t taskwalk_n_places(const struct taskwalk *w);
/*
 * Suggests at most n times at which to cut, in ascending order, so that slices are about as long.
 * Returns their number.
 */
size_t taskwalk_find_cuts(struct taskwalk *w, uint64_t *ret_times, size_t n);
/*
 * Visits the records from the first at or after `from` to the last before the first after `to`.
 * *ret_begin, *ret_end: where each CPU's next record was before and after, taskwalk_n_places()
 * numbers; UINT64_MAX: at its end. Slices may come in any order.
 */
int taskwalk_slice(struct taskwalk *w, uint64_t from, uint64_t to, uint64_t *ret_begin,
		   uint64_t *ret_end);

/*
 * Finds the times of the first and of the last event. ret_last may be NULL. Returns false if there
 * are no events.
 */
bool taskwalk_find_edges(const struct inputs_sources *src, uint64_t *ret_first, uint64_t *ret_last);
/* Sets from and to as in the spec of the inputs. Returns -EINVAL with a message. */
int taskwalk_set_range(struct taskwalk_spec *spec, const struct inputs_sources *src,
		       struct errmsg *err);

#endif
