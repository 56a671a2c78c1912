/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * darktimes.h - when data of at least one CPU of a machine is missing, as a pass over its turns meets it.
 * For one thread.
 */
#ifndef SONDE_TIMELINE_INDEX_DARKTIMES_H
#define SONDE_TIMELINE_INDEX_DARKTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARK_NEVER  UINT64_MAX
#define DARK_OF_ALL UINT16_MAX

struct dark_times {
	uint8_t *is_dark; /* by number of a stream */
	size_t n_streams, n_dark;
	struct dark_time {
		uint64_t start, end; /* end DARK_NEVER: it lasts */
		uint16_t of;	     /* only tasks like this one can have run in it; DARK_OF_ALL */
		bool is_joint;	     /* of several CPUs, or several times in one */
	} * times;
	size_t n, cap;
	bool failed; /* no memory: something is not noted */
};

int dark_times_init(struct dark_times *d, size_t n_streams);
void dark_times_release(struct dark_times *d);
/* From ts on the CPU of this stream is dark, or is not. Times never go back. */
void dark_times_add(struct dark_times *d, size_t stream, bool is_dark, uint64_t ts);
/* The last dark time, which has just ended and is no longer than max_ns: only tasks like `of` can have run in it. */
void dark_times_limit(struct dark_times *d, uint64_t max_ns, uint16_t of);
/* The first dark moment from t on that is known so far, or DARK_NEVER. */
uint64_t dark_times_find(const struct dark_times *d, uint64_t t);
/* The same of one task: times of those that are not like it are left out. */
uint64_t dark_times_find_for(const struct dark_times *d, uint64_t t,
			     bool (*is_like)(void *ctx, uint16_t of), void *ctx);

#endif
