/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskswitches.h - when the programs that this process starts stop and run again, by perf's ring
 * buffers.
 *
 *	taskswitches_open ─▶ start programs, wait for them ─▶ taskswitches_stop ─▶ taskswitches_data
 *	                  ─▶ taskswitches_close
 *
 * It needs no privileges where perf_event_paranoid is 2 or less. One owner; a thread of its own
 * empties the buffers.
 */
#ifndef SONDE_CAPTURE_KERNEL_TASKSWITCHES_H
#define SONDE_CAPTURE_KERNEL_TASKSWITCHES_H

#include "format/bytes.h"

#include <stdbool.h>

struct taskswitches;

/*
 * Watches the children of the calling thread, and theirs. Times are those of CLOCK_MONOTONIC_RAW.
 * only_tasks: new tasks, their ends and names, but no switches. Returns -EACCES, -ENOENT … of the
 * kernel, without a message.
 */
int taskswitches_open(struct taskswitches **ret, bool only_tasks);
void taskswitches_stop(struct taskswitches *t);
/*
 * After stop: the bytes of a CPU, as perf has them: records with pid, tid and time at their ends.
 */
struct piece taskswitches_data(const struct taskswitches *t, size_t cpu);
size_t taskswitches_cpus(const struct taskswitches *t);
/* How many events perf had no room for. */
uint64_t taskswitches_lost(const struct taskswitches *t);
void taskswitches_close(struct taskswitches *t);

#endif
