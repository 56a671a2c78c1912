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

#include "base/json/jsonwriter.h"
#include "timeline/lanes/lane.h"

struct interrupts;

struct interrupt {
	/* "interrupt 27 (eth0)", "soft interrupt 3 (NET_RX)"; "an interrupt", "a soft interrupt": which one was not recorded */
	char name[160];
	bool is_soft, is_named;
	int32_t task; /* that it interrupted; -1: not known */
	uint32_t cpu;
	uint64_t start; /* if it is named */
};

/* 0 or -ENOMEM. */
int interrupts_new(struct interrupts **ret, struct lanes *ls, uint32_t machine);
void interrupts_free(struct interrupts *in);

/* The interrupt that woke a task: its last waking in one up to t. False: there is none that is near. */
bool interrupts_find_waking(struct interrupts *in, uint16_t task, uint64_t t,
			    struct interrupt *ret);
/* The interrupt that an event begins. False: it begins none. */
bool interrupts_read(struct interrupts *in, const struct walk_event *ev, struct interrupt *ret);

/* {"name":…,"soft":…,"task":n or -1,"cpu":…,"start":… if it is named} */
void interrupt_emit(const struct interrupt *i, const char *key, struct jsonwriter *w);

#endif
