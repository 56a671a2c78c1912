/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agentjob.h - records this machine when a host requests it through the agent. */
#ifndef SONDE_LIVE_REMOTE_AGENTJOB_H
#define SONDE_LIVE_REMOTE_AGENTJOB_H

#include "live/request.h"
#include "wire/guest/agent.h"

struct agentjob_config {
	/* Parses the words of a host into a request, and refuses words that a host may not use. */
	int (*parse)(struct live_request *o, const char *const *args, uint32_t n_args,
		     struct errmsg *err);
	const struct live_front *front;
};

struct agentjob;

/* Returns NULL if out of memory. */
struct agentjob *agentjob_new(const struct agentjob_config *config);
void agentjob_free(struct agentjob *j);

/* The functions for agent_config, with the job as ctx. */
extern const struct agent_ops agentjob_ops;

#endif
