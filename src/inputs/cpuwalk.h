/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuwalk.h - the records of one buffer, CPU after CPU: for who needs no order in time between CPUs, and for its ends.
 */
#ifndef SONDE_INPUTS_CPUWALK_H
#define SONDE_INPUTS_CPUWALK_H

#include "decode/record.h"
#include "inputs/inputs.h"
#include "store/tracefile.h"

/*
 * Calls visit for every record. It has cpu, ts (as recorded), data, size, event (NULL: not described) and RECORD_MISSED. 0, or a
 * negative errno. What is damaged becomes damage of the file.
 */
int cpuwalk(struct inputs_file *file, const struct tracefile_buffer *b,
	    void (*visit)(void *ctx, const struct record *rec), void *ctx);

/* The first or the last record of an entry of b->cpus: its time, as recorded, and event id. False: there is none. */
bool cpuwalk_find_edge(const struct inputs_file *file, const struct tracefile_buffer *b, size_t cpu,
		       bool last, uint64_t *ret_ts, int *ret_id);

#endif
