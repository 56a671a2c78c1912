/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - reads the tracing settings, for `sonde stat`. */
#ifndef SONDE_LIVE_STATE_H
#define SONDE_LIVE_STATE_H

#include "base/arena.h"
#include "capture/tracefs/instances.h"
#include "present/tracestate.h"

/*
 * Reads the state of the selected instances. All memory of *ts comes from the arena. Skips what it
 * cannot read, but fails if it has no permission.
 */
int live_state_read(struct tracestate *ts, const struct instance_args *args, struct arena *arena,
		    struct errmsg *err);

#endif
