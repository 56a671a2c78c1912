/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.h - samples of a request (--sample): checks, and the messages at the end.
 */
#ifndef SONDE_LIVE_SOURCES_SAMPLES_H
#define SONDE_LIVE_SOURCES_SAMPLES_H

#include "capture/perf/sampling.h"

#include <stdbool.h>

struct errmsg;
struct live_request;
struct session;

/* The request is for samples, perhaps with user functions, and nothing else. */
bool samples_are_alone(const struct live_request *o);

/*
 * Checks the request, sets clocks, and prepares the sampling of a command or of what o names.
 * is_live: the samples are read while they come.
 */
int samples_open(struct sampling **ret, struct live_request *o, char **argv, bool is_live,
		 struct errmsg *err);

/* For session_config.prepare; ctx is the sampling. */
int samples_prepare(struct session *s, void *ctx, struct errmsg *err);

/* Reports what is special about the samples, and what is missing. */
void samples_tell(const struct live_request *o, const struct sampling_sum *sum);

#endif
