// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sources.c - opens the sources of a recording, and closes them with their sums.
 *
 *	system calls   BPF programs; they get the tasks just before the command runs
 *	samples        perf_event_open(), when the command's process exists
 *	functions      a library in the command: its environment
 *
 * All of them write into buffers of the recording's file (capture/record/recording.c).
 */
#include "live/sources/sources.h"

#include "base/scope.h"
#include "capture/calls/usertrace.h"
#include "live/calls/livecalls.h"
#include "live/request.h"
#include "live/sources/samples.h"
#include "live/sources/userfunctions.h"

bool livesources_are_alone(const struct live_request *o)
{
	if (o->syscalls)
		return false;
	return o->has_user ? userfunctions_are_alone(o) : samples_are_alone(o);
}

int livesources_open(struct livesources *ls, struct live_request *o,
		     const struct recording_config *config, char **argv, struct record_outcome *oc,
		     struct errmsg *err)
{
	*ls = (struct livesources){.o = o, .config = *config};
	if (o->syscalls)
		TRY(livecalls_open(&ls->config.syscalls, o, argv, err));
	if (o->samples.is_wanted) {
		TRY(samples_open(&ls->config.samples, o, argv, false, err));
		oc->has_samples = true;
	}
	if (o->has_user) {
		TRY(userfunctions_open(&ls->config.user, o, argv, err));
		oc->has_user = true;
	}
	if (ls->config.samples && ls->config.user)
		userfunctions_connect(ls->config.user, ls->config.samples);
	oc->is_user_only = o->has_user && livesources_are_alone(o);
	oc->is_sample_only = !o->has_user && livesources_are_alone(o);
	return 0;
}

static int prepare(struct session *s, void *ctx, struct errmsg *err)
{
	struct livesources *ls = ctx;

	return ls->config.samples ? samples_prepare(s, ls->config.samples, err) : 0;
}

static void begin(void *ctx)
{
	struct livesources *ls = ctx;

	if (ls->config.syscalls)
		livecalls_begin(ls->config.syscalls, ls->s, ls->err);
}

void livesources_hook(struct livesources *ls, struct session_config *sc, struct session *s,
		      struct errmsg *err)
{
	ls->s = s;
	ls->err = err;
	sc->env = ls->config.user ? usertrace_env(ls->config.user) : NULL;
	sc->prepare = prepare;
	sc->begin = begin;
	if (ls->config.syscalls)
		sc->powers |= livecalls_powers();
	sc->prepare_ctx = ls;
}

void livesources_close(struct livesources *ls, struct record_outcome *oc)
{
	struct recording_config *c = &ls->config;
	bool has_file = oc->sum.bytes;

	if (c->user)
		usertrace_get_sum(c->user, &oc->user);
	if (c->user && has_file)
		userfunctions_tell_missing(ls->o, c->user, &oc->user);
	usertrace_close(c->user);
	if (c->samples)
		sampling_get_sum(c->samples, &oc->samples);
	if (c->samples && has_file)
		samples_tell(ls->o, &oc->samples);
	sampling_close(c->samples);
	if (c->syscalls && has_file)
		livecalls_tell_missing(ls->o, c->syscalls);
	systrace_close(c->syscalls);
	c->user = NULL;
	c->samples = NULL;
	c->syscalls = NULL;
}
