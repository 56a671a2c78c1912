/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskmarks.h - the marks of tasks that the kernel may make fail: /proc/PID/make-it-fail.
 *
 * A mark alone does nothing: it selects tasks for the kernel's fault injection (injection.h). This
 * file keeps no state; the caller notes the marks in a journal, which removes them.
 */
#ifndef SONDE_CAPTURE_INJECT_TASKMARKS_H
#define SONDE_CAPTURE_INJECT_TASKMARKS_H

#include <stdbool.h>
#include <stdint.h>

struct errmsg;

/* Returns true if this kernel has marks. */
bool taskmarks_are_there(void);

/* Returns the current time in the unit of a task's start time: clock ticks since boot. */
uint64_t taskmarks_now(void);

/* Marks all threads of the process. Returns -ESRCH if it has ended. */
int taskmarks_set(int pid, struct errmsg *err);

/* Finds the first marked process. Returns false if there is none. */
bool taskmarks_find(int *ret_pid);

/*
 * Removes the marks of the process and of every task that started at `since` or later: children
 * inherit the mark. Returns a negative errno if a mark stays.
 */
int taskmarks_clear(int pid, uint64_t since);

#endif
