/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawpipe.h - functions for threads that read the kernel's buffers: a CPU's raw pipe, a better
 * scheduling priority, an eventfd, a clock.
 */
#ifndef SONDE_CAPTURE_TRACEFS_RAWPIPE_H
#define SONDE_CAPTURE_TRACEFS_RAWPIPE_H

#include "capture/tracefs/tracefs.h"

#include <stdint.h>

struct errmsg;

/* Opens trace_pipe_raw of a CPU, or its snapshot_raw, for non-blocking reads. */
int rawpipe_open(const struct tracefs *t, const char *instance, unsigned cpu, bool snapshot,
		 struct errmsg *err);

/*
 * Sets real-time priority rt_priority, or nice -10 if that fails, so that the thread can read on a
 * loaded machine.
 */
void rawpipe_raise_priority(unsigned rt_priority);

/* Makes an eventfd readable. */
void rawpipe_ring(int event_fd);

#endif
