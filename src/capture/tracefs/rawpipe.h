/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawpipe.h - what every thread that empties the kernel's buffers needs: a CPU's raw pipe, a better place
 * in the scheduler, a bell, a clock.
 */
#ifndef SONDE_CAPTURE_TRACEFS_RAWPIPE_H
#define SONDE_CAPTURE_TRACEFS_RAWPIPE_H

#include "capture/tracefs/tracefs.h"

#include <stdint.h>

struct errmsg;

/* Opens trace_pipe_raw of a CPU, or its snapshot_raw, for reads that do not wait. */
int rawpipe_open(const struct tracefs *t, const char *instance, unsigned cpu, bool snapshot,
		 struct errmsg *err);

/* Real time with rt_priority, else nice -10, so that the load does not keep us from reading. */
void rawpipe_raise_priority(unsigned rt_priority);

/* Makes an eventfd readable. */
void rawpipe_ring(int event_fd);

#endif
