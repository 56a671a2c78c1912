/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h - measures where tasks spend their time, while they run.
 */
#ifndef SONDE_LIVE_PROFILE_H
#define SONDE_LIVE_PROFILE_H

#include "base/errmsg.h"
#include "present/profile/profiling.h"
#include "live/request.h"

/*
 * Adds what a complete profile needs: events, and functions at depth 1 if the kernel can trace
 * them. Returns 0 or -ENOMEM.
 */
int live_profile_add_events(struct live_request *o);
int live_profile_add_tracer(struct live_request *o);
/* Adds the events of the hooks (-H): a hook without its events would measure nothing. */
int live_profile_add_hooks(struct live_request *o, struct errmsg *err);

/*
 * Makes a profile. argv is the command, or NULL. Calls print once, after the settings are restored.
 * The caller owns all arguments.
 */
int live_profile(struct live_request *o, char **argv, const struct profiling_spec *how,
		 int (*print)(void *ctx, struct profiling *pf, struct errmsg *err), void *ctx,
		 struct errmsg *err);

#endif
