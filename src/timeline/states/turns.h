/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns.h - who runs on a CPU: the one place that decides it, for lanes, times, paths and pictures.
 */
#ifndef SONDE_TIMELINE_STATES_TURNS_H
#define SONDE_TIMELINE_STATES_TURNS_H

#include "timeline/states/states.h"

enum turn_end { TURN_GOES_ON = 0, TURN_CPU_ENDS, TURN_FILE_ENDS }; /* there is no more data */

struct cpu_turn {
	uint64_t ts, since;  /* since: when prev came */
	uint16_t prev, next; /* TIMELINE_NO_TASK: not known */
	uint8_t state; /* enum task_state that a switch tells of prev; STATE_UNKNOWN: no switch does */
	uint8_t end; /* enum turn_end */
};

/*
 * Calls each for the turns in [from, to], and for at least the last one before from, in order; ends when it returns
 * false. The next of one is the prev of the following. Before the first, nobody knows who runs; so where a gap began
 * before from, prev and next of its turn are both TIMELINE_NO_TASK. -ENOMEM.
 */
int cpu_turns(struct timeline *tl, uint32_t machine, uint32_t cpu, uint64_t from, uint64_t to,
	      bool (*each)(void *ctx, const struct cpu_turn *t), void *ctx);

/* Does it tell who ran? Switches of any CPU of the same buffer do. */
bool stream_tells_turns(const struct timeline *tl, size_t stream);

/* What the files of a machine cover without a gap around t. */
void machine_cover(const struct timeline *tl, uint32_t machine, uint64_t t, uint64_t *ret_start,
		   uint64_t *ret_end);
/* The first moment from t on where the data of one of its CPUs is cut off; UINT64_MAX: none is. */
uint64_t machine_cut_after(const struct timeline *tl, uint32_t machine, uint64_t t);

/*
 * Why nobody knows what a CPU did (cpu -1: one of them) in [from, to]: true: its data was lost or is cut off; false: it
 * was not recorded, before a recording began, after it ended, or because it was not asked for.
 */
bool machine_lost_within(struct timeline *tl, uint32_t machine, int64_t cpu, uint64_t from,
			 uint64_t to);

#endif
