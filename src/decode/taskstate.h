/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taskstate.h - the states of a task, and the meaning of prev_state in sched_switch.
 */
#ifndef SONDE_DECODE_TASKSTATE_H
#define SONDE_DECODE_TASKSTATE_H

#include "decode/formats/event.h"

enum task_state { /* the numbers are part of the protocol */
		  STATE_UNKNOWN = 0,
		  STATE_RUNNING = 1,
		  STATE_RUNNABLE = 2,  /* woken, and waits for a CPU */
		  STATE_PREEMPTED = 3, /* runnable, because another task took its CPU */
		  STATE_SLEEPING = 4,  /* S */
		  STATE_BLOCKED = 5,   /* D */
		  STATE_STOPPED = 6,   /* T, t */
		  STATE_IDLE = 7,      /* I, parked */
		  STATE_DEAD = 8,      /* X, Z */
};
#define STATES_N 9

/*
 * The meaning of prev_state in sched_switch. Kernels number the bits differently, so the names in
 * the print format of the event are used (S D T t X Z P I …). If ev, a parsed event, is NULL, the
 * numbers of current kernels are used. Any thread may use the struct once it is filled.
 */
struct prev_states {
	uint8_t by_bit[16]; /* enum task_state; STATE_UNKNOWN: the bit has no meaning */
};
void prev_states_init(struct prev_states *ps, const struct event *ev);
/* Returns STATE_PREEMPTED if no bit with a meaning is set: the task could have continued to run. */
enum task_state prev_states_get(const struct prev_states *ps, uint64_t prev_state);

const char *task_state_name(enum task_state s);

#endif
