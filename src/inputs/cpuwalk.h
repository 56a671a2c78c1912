/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cpuwalk.h - visits the records of one buffer, CPU by CPU, for callers that do not need the time
 * order across CPUs. It also finds the first and last record of a CPU.
 */
#ifndef SONDE_INPUTS_CPUWALK_H
#define SONDE_INPUTS_CPUWALK_H

#include "decode/record.h"
#include "inputs/inputs.h"
#include "store/tracefile.h"

/*
 * Calls visit for every record. The record has cpu, ts (as recorded), data, size, event (NULL: not
 * described) and RECORD_MISSED. Returns 0 or a negative errno. Adds damage to the file's list.
 */
int cpuwalk(struct inputs_file *file, const struct tracefile_buffer *b,
	    void (*visit)(void *ctx, const struct record *rec), void *ctx);

/*
 * Finds the first or the last record of an entry of b->cpus: its time, as recorded, and event id.
 * Returns false if there is none.
 */
bool cpuwalk_find_edge(const struct inputs_file *file, const struct tracefile_buffer *b, size_t cpu,
		       bool last, uint64_t *ret_ts, int *ret_id);

#endif
