/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskwalk.h - visits the records of chosen events in time order.
 *
 * It has no filters, no batches, and does not learn names of tasks. It is for analyses of calls,
 * which need the order of each task's events. It takes half the time of decode/order/sequence.h.
 */
#ifndef SONDE_INPUTS_TASKWALK_H
#define SONDE_INPUTS_TASKWALK_H

#include "base/errmsg.h"
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
 * Finds the times of the first and of the last event. ret_last may be NULL. Returns false if there
 * are no events.
 */
bool taskwalk_find_edges(const struct inputs_sources *src, uint64_t *ret_first, uint64_t *ret_last);
/* Sets from and to as in the spec of the inputs. Returns -EINVAL with a message. */
int taskwalk_set_range(struct taskwalk_spec *spec, const struct inputs_sources *src,
		       struct errmsg *err);

#endif
