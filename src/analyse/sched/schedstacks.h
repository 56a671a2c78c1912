/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* schedstacks.h - kernel stacks of scheduler events, each kept once. */
#ifndef SONDE_ANALYSE_SCHED_SCHEDSTACKS_H
#define SONDE_ANALYSE_SCHED_SCHEDSTACKS_H

#include "analyse/sched/schedevent.h"
#include "base/arena.h"
#include "base/map.h"

struct sched_stack;

/* Returns the stack of ev, which lives as long as the arena; NULL: memory is short. */
const struct sched_stack *schedstacks_get(struct map *stacks, struct arena *arena,
					  const struct sched_reader *r,
					  const struct sched_event *ev);

#endif
