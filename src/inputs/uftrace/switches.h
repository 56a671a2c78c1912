/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * switches.h - the task switches of a uftrace.data directory as events sched:sched_switch.
 */
#ifndef SONDE_INPUTS_UFTRACE_SWITCHES_H
#define SONDE_INPUTS_UFTRACE_SWITCHES_H

#include "format/bytes.h"
#include "store/pagebuilder.h"

struct textbuf;
struct uftdata;

struct uftswitches {
	struct uftdata *data;
	struct pagebuilder page; /* as of the file */
	size_t cpu;
};

/* Adds the system "sched" to the formats of events. */
void uftswitches_add_format(struct textbuf *tb);
/* A walk has read the switches before. */
void uftswitches_rewind(struct uftswitches *s);
/* For struct writer_source; ctx: a struct uftswitches. */
int uftswitches_next(void *ctx, uint32_t *ret_cpu, struct piece *ret);

#endif
