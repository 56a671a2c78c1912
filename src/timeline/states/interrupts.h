/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interrupts.h - which interrupt it was: its number and name, the CPU, and the task that it interrupted.
 *
 *	interrupts_new ─▶ interrupts_find_waking, interrupts_read ─▶ interrupts_free
 *
 * For one thread.
 */
#ifndef SONDE_TIMELINE_STATES_INTERRUPTS_H
#define SONDE_TIMELINE_STATES_INTERRUPTS_H

#include "timeline/lanes/lane.h"

struct interrupts;

#define INTERRUPT_NAMES 8 /* nested; more are not named */

struct interrupt {
	/* of what was open, from the outside in: "local_timer", "tick_sched_timer"; labels of the lanes */
	const char *names[INTERRUPT_NAMES];
	unsigned n_names; /* 0: which one it was was not recorded */
	bool is_soft, has_number;
	uint64_t number; /* of the outermost: 27 of eth0 */
	int32_t task;	 /* that it interrupted; -1: not known */
	uint32_t cpu;
	uint64_t start; /* if it has a name */
};

/* 0 or -ENOMEM. */
int interrupts_new(struct interrupts **ret, struct lanes *ls, uint32_t machine);
void interrupts_free(struct interrupts *in);

/* The interrupt that woke a task: its last waking in one up to t. False: there is none that is near. */
bool interrupts_find_waking(struct interrupts *in, uint16_t task, uint64_t t,
			    struct interrupt *ret);
/* The interrupt that an event begins. False: it begins none. */
bool interrupts_read(struct interrupts *in, const struct walk_event *ev, struct interrupt *ret);

#endif
