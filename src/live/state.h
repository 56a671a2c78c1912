/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state.h - reads how tracing is set up, for `sonde stat`.
 */
#ifndef SONDE_LIVE_STATE_H
#define SONDE_LIVE_STATE_H

#include "base/arena.h"
#include "capture/tracefs/tracefs.h"
#include "present/tracestate.h"

/* All memory of *ts comes from the arena. What cannot be read is left out; -ENOMEM. */
int live_state_read(struct tracestate *ts, const struct tracefs *t,
		    const struct name_list *instances, struct arena *arena);

#endif
