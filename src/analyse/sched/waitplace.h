/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * waitplace.h - which frames of a kernel stack say nothing about what a task does or waits for.
 */
#ifndef SONDE_ANALYSE_SCHED_WAITPLACE_H
#define SONDE_ANALYSE_SCHED_WAITPLACE_H

#include <stdbool.h>
#include <stddef.h>

/* Is it a function of the tracer itself, on top of every stack? */
bool frame_is_of_tracer(const char *name, size_t len);
/* Is it the scheduler, or a helper that waits for any condition? */
bool frame_is_general_wait(const char *name, size_t len);

#endif
