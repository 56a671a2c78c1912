/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * interrupts.h - identifies an interrupt: its number and name, the CPU, and the interrupted task.
 *
 *	interrupts_new ─▶ interrupts_find_waking, interrupts_read ─▶ interrupts_free
 *
 * For one thread.
 */
#ifndef SONDE_TIMELINE_STATES_INTERRUPTS_H
#define SONDE_TIMELINE_STATES_INTERRUPTS_H

#include "timeline/lanes/lane.h"

struct interrupts;

#define INTERRUPT_NAMES 8 /* limit of nested handlers; deeper ones get no name */

struct interrupt {
	/*
	 * open handlers, the outermost first: "local_timer", "tick_sched_timer"; labels of the
	 * lanes
	 */
	const char *names[INTERRUPT_NAMES];
	unsigned n_names; /* 0: the trace does not identify the interrupt */
	bool is_soft, has_number;
	uint64_t number; /* number of the outermost interrupt: 27 of eth0 */
	int32_t task;	 /* the interrupted task; -1: unknown */
	uint32_t cpu;
	uint64_t start; /* valid if the interrupt has a name */
};

/* Returns 0 or -ENOMEM. */
int interrupts_new(struct interrupts **ret, struct lanes *ls, uint32_t machine);
void interrupts_free(struct interrupts *in);

/*
 * Finds the interrupt that woke a task: that of the last waking of the task up to t that came from
 * an interrupt. Returns false if there is none nearby.
 */
bool interrupts_find_waking(struct interrupts *in, uint16_t task, uint64_t t,
			    struct interrupt *ret);
/* Reads the interrupt that begins with this event. Returns false if none does. */
bool interrupts_read(struct interrupts *in, const struct walk_event *ev, struct interrupt *ret);

#endif
