/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * darktimes.h - collects times in which data of at least one CPU of a machine is missing ("dark"),
 * during a pass over the turns. For one thread.
 */
#ifndef SONDE_TIMELINE_INDEX_DARKTIMES_H
#define SONDE_TIMELINE_INDEX_DARKTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DARK_NEVER  UINT64_MAX
#define DARK_OF_ALL UINT16_MAX

struct dark_times {
	uint8_t *is_dark; /* whether the CPU of a stream is dark */
	size_t n_streams, n_dark;
	struct dark_time {
		uint64_t start, end; /* end DARK_NEVER: not ended yet */
		/* only tasks like this one can have run in the dark time; DARK_OF_ALL: any task */
		uint16_t of;
		/* the dark time joins several CPUs, or several dark times of one CPU */
		bool is_joint;
	} * times;
	size_t n, cap;
	bool failed; /* out of memory: some times are missing */
};

int dark_times_init(struct dark_times *d, size_t n_streams);
void dark_times_release(struct dark_times *d);
/*
 * Notes that the CPU of this stream is dark, or no longer dark, from ts on. Times must not
 * decrease.
 */
void dark_times_add(struct dark_times *d, size_t stream, bool is_dark, uint64_t ts);
/*
 * Limits the last dark time to tasks like `of`, if it has just ended and is at most max_ns long:
 * only they can have run in it.
 */
void dark_times_limit(struct dark_times *d, uint64_t max_ns, uint16_t of);
/*
 * Returns the first known dark moment of a task at or after t, or DARK_NEVER. Ignores dark times in
 * which only other tasks can have run.
 */
uint64_t dark_times_find_for(const struct dark_times *d, uint64_t t,
			     bool (*is_like)(void *ctx, uint16_t of), void *ctx);

#endif
