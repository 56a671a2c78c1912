/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * turns.h - finds the task that runs on a CPU. Lanes, times, paths and pictures all use this code.
 */
#ifndef SONDE_TIMELINE_STATES_TURNS_H
#define SONDE_TIMELINE_STATES_TURNS_H

#include "timeline/states/states.h"

enum turn_end { TURN_GOES_ON = 0, TURN_CPU_ENDS, TURN_FILE_ENDS }; /* whether the data ends */

struct cpu_turn {
	uint64_t ts, since;  /* since: start of prev */
	uint16_t prev, next; /* TIMELINE_NO_TASK: unknown */
	/* enum task_state of prev from a switch; STATE_UNKNOWN: no switch contains it */
	uint8_t state;
	uint8_t end; /* enum turn_end */
};

/*
 * Calls each for the turns in [from, to], and for at least the last one before from, in order,
 * until it returns false. `next` of a turn is `prev` of the following turn. Before the first turn
 * the running task is unknown. So if a gap began before from, prev and next of its turn are both
 * TIMELINE_NO_TASK. Returns 0 or -ENOMEM.
 */
int cpu_turns(struct timeline *tl, uint32_t machine, uint32_t cpu, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct cpu_turn *t), void *ctx);

/*
 * Returns true if the stream shows which task ran, that is, if any CPU of the same buffer has
 * switches.
 */
bool stream_tells_turns(const struct timeline *tl, size_t stream);

/* Finds the range around t that the files of a machine cover without a gap. */
void machine_cover(const struct timeline *tl, uint32_t machine, uint64_t t, uint64_t *ret_start,
		   uint64_t *ret_end);
/*
 * Returns the first moment from t on where the data of one of the machine's CPUs is truncated, or
 * UINT64_MAX.
 */
uint64_t machine_cut_after(const struct timeline *tl, uint32_t machine, uint64_t t);

/*
 * Finds why the state of a CPU (cpu -1: any CPU) is unknown in [from, to]. Returns true if data was
 * lost or is truncated. Returns false if it was not recorded: before the recording began, after it
 * ended, or because the user did not record it.
 */
bool machine_lost_within(struct timeline *tl, uint32_t machine, int64_t cpu, uint64_t from,
			 uint64_t to);

#endif
