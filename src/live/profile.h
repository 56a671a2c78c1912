/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - where the time of tasks goes, counted while they run.
 */
#ifndef SONDE_LIVE_PROFILE_H
#define SONDE_LIVE_PROFILE_H

#include "base/errmsg.h"
#include "present/profile/profiling.h"
#include "live/request.h"

/* Adds what a whole profile looks at: events, and functions at depth 1 if the kernel can trace them. 0 or -ENOMEM. */
int live_profile_add_events(struct live_request *o);
int live_profile_add_tracer(struct live_request *o);
/* Adds the events of the hooks (-H): a hook without its events would measure nothing. */
int live_profile_add_hooks(struct live_request *o, struct errmsg *err);

/* argv: the command or NULL. print is called once, when the machine is as it was again. All stay the caller's. */
int live_profile(struct live_request *o, char **argv, const struct profiling_spec *how,
		 int (*print)(void *ctx, struct profiling *pf, struct errmsg *err), void *ctx,
		 struct errmsg *err);

#endif
