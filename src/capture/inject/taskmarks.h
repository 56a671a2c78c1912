/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskmarks.h - the marks of tasks that may be made to fail: /proc/PID/make-it-fail.
 *
 * A mark alone does nothing: it picks out tasks for the kernel's fault injection (injection.h). Nothing is
 * kept here; whoever marks notes it in a journal, which takes the marks away again.
 */
#ifndef SONDE_CAPTURE_INJECT_TASKMARKS_H
#define SONDE_CAPTURE_INJECT_TASKMARKS_H

#include <stdbool.h>
#include <stdint.h>

struct errmsg;

/* True if this kernel has marks. */
bool taskmarks_are_there(void);

/* Now, in the unit of a task's start time: clock ticks since boot. */
uint64_t taskmarks_now(void);

/* Marks all threads of the process. -ESRCH if it is gone. */
int taskmarks_set(int pid, struct errmsg *err);

/* The first marked process there is, in *ret_pid; false: none. */
bool taskmarks_find(int *ret_pid);

/*
 * Takes the marks off the process and off every task that began at `since` or later and has one: its children
 * inherited it. Negative errno if one stays.
 */
int taskmarks_clear(int pid, uint64_t since);

#endif
