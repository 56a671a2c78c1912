/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sources.h - what a recording has besides the kernel's events: functions of programs, samples and
 * counters, system calls.
 *
 *	livesources_open     checks the request, opens the sources, puts them into the configuration
 *	livesources_hook     connects them to a session, before session_open()
 *	livesources_close    sums and messages at the end; closes them
 */
#ifndef SONDE_LIVE_SOURCES_SOURCES_H
#define SONDE_LIVE_SOURCES_SOURCES_H

#include "capture/record/recording.h"
#include "capture/record/session.h"
#include "live/record.h"

struct errmsg;
struct live_request;

struct livesources {
	struct live_request *o;
	struct recording_config config; /* the caller's, with the sources */
	struct session *s;
	struct errmsg *err;
};

/* Close it on failure, too. Sets the flags of the outcome. */
int livesources_open(struct livesources *ls, struct live_request *o,
		     const struct recording_config *config, char **argv, struct record_outcome *oc,
		     struct errmsg *err);
/* Does the request need nothing of the kernel's tracing directory? */
bool livesources_are_alone(const struct live_request *o);
/* s and err must stay until the session ends. */
void livesources_hook(struct livesources *ls, struct session_config *sc, struct session *s,
		      struct errmsg *err);
void livesources_close(struct livesources *ls, struct record_outcome *oc);

#endif
