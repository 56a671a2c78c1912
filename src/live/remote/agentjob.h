/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agentjob.h - what an agent does when a host asks for a recording of this machine.
 */
#ifndef SONDE_LIVE_REMOTE_AGENTJOB_H
#define SONDE_LIVE_REMOTE_AGENTJOB_H

#include "live/request.h"
#include "wire/guest/agent.h"

struct agentjob_config {
	/* The words of a host, as a request; refuses what a host may not ask for. */
	int (*parse)(struct live_request *o, const char *const *args, uint32_t n_args,
		     struct errmsg *err);
	const struct live_front *front;
};

struct agentjob;

/* NULL without memory. */
struct agentjob *agentjob_new(const struct agentjob_config *config);
void agentjob_free(struct agentjob *j);

/* For agent_config, with the job as its ctx. */
extern const struct agent_ops agentjob_ops;

#endif
