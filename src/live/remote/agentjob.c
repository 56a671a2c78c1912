// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * agentjob.c - records this machine at the request of a host: connects the protocol of
 * wire/guest/agent.h with the recording.
 *
 *	open    parse the host's arguments; set up the session, the head of the trace and the clock
 *	start   a recorder writes each CPU's pages to the descriptor that the agent has for it
 *	stop    stop recording and write everything; then send late data: names of tasks, statistics
 *	close   restore the settings
 *
 * One job at a time.
 */
#include "live/remote/agentjob.h"

#include "base/errmsg.h"
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/record/session.h"
#include "live/remote/network.h"
#include "live/remote/syncclock.h"
#include "store/tracefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD_MAX_BYTES (256u << 20)

struct agentjob {
	struct agentjob_config config;
	struct live_request o;
	struct session s;
	struct recording_config recording;
	struct textbuf head;
	struct syncclock clock;
	struct netrecord *nr;
	bool has_session, has_clock, is_running;
};

struct agentjob *agentjob_new(const struct agentjob_config *config)
{
	struct agentjob *j = calloc(1, sizeof(*j));

	if (j)
		j->config = *config;
	return j;
}

void agentjob_free(struct agentjob *j)
{
	free(j);
}

static int job_open(void *ctx, const char *const *args, uint32_t n_args,
		    struct agent_recording *ret, struct errmsg *err)
{
	struct agentjob *j = ctx;
	char clock[64];
	int r;

	*j = (struct agentjob){.config = j->config};
	r = live_request_init(&j->o, j->config.front);
	j->o.plan.is_for_host = true;
	textbuf_init(&j->head, HEAD_MAX_BYTES);
	if (r >= 0)
		r = j->config.parse(&j->o, args, n_args, err);
	TRY(r);
	r = session_open(
		&j->s, &(struct session_config){.plan = &j->o.plan, .tell = j->config.front->tell},
		err);
	j->has_session = true;
	TRY(r);
	if (j->s.setup->n_buffers != 1 || j->s.setup->buffers[0].is_latency)
		return errmsg_set(err, -ENOTSUP,
				  "an agent records one buffer of events: no -B, no latency "
				  "tracer");
	j->recording = (struct recording_config){.version = 7,
						 .compression = COMPRESSION_ZSTD,
						 .plain_data = true,
						 .tsc2nsec = j->o.tsc2nsec,
						 .program = "sonde " SONDE_VERSION};
	TRY(netrecord_head(&j->s, 0, &j->recording, 3, &j->head, &ret->trace_id, err));
	session_clock(&j->s, 0, clock, sizeof(clock));
	r = syncclock_open(&j->clock, &j->s, clock, 0, err);
	j->has_clock = !r;
	ret->n_cpus = j->s.n_cpus;
	ret->page_size = session_page_size(&j->s, 0);
	return r;
}

static int job_head(void *ctx, struct textbuf *out, struct errmsg *err)
{
	struct agentjob *j = ctx;

	textbuf_add(out, j->head.start, textbuf_len(&j->head));
	textbuf_clear(&j->head);
	return 0;
}

static const struct sync_clock *job_clock(void *ctx)
{
	struct agentjob *j = ctx;

	return j->has_clock ? &j->clock.clock : NULL;
}

static int job_start(void *ctx, const int *fds, struct errmsg *err)
{
	struct agentjob *j = ctx;
	struct netrecord_stream *streams = calloc(j->s.n_cpus, sizeof(*streams));
	size_t n = 0;
	int r;

	if (!streams)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (unsigned cpu = 0; cpu < j->s.n_cpus; cpu++) {
		char file[64];

		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
		if (tracefs_exists(&j->s.t, j->s.setup->buffers[0].instance, file))
			streams[n++] = (struct netrecord_stream){0, cpu, fds[cpu], false};
	}
	r = netrecord_start(&j->nr, &j->s, &j->recording, streams, n, err);
	free(streams);
	if (!r) {
		j->is_running = true;
		r = session_start(&j->s, err);
	}
	return r;
}

static int job_fd(void *ctx)
{
	return netrecord_fd(((struct agentjob *)ctx)->nr);
}

static int job_stop(void *ctx, struct errmsg *err)
{
	struct agentjob *j = ctx;
	uint64_t n_bytes;
	int r = session_stop(&j->s, err), r2;

	r2 = netrecord_stop(j->nr, &n_bytes, err);
	j->is_running = false;
	return r < 0 ? r : r2;
}

static void job_late(void *ctx, struct textbuf *out)
{
	netrecord_late(&((struct agentjob *)ctx)->s, 0, out);
}

static void job_close(void *ctx)
{
	struct agentjob *j = ctx;
	struct errmsg ignored = {0};

	if (j->is_running)
		job_stop(j, &ignored);
	if (j->has_clock)
		syncclock_close(&j->clock);
	if (j->has_session)
		session_close(&j->s, &ignored);
	textbuf_release(&j->head);
	live_request_release(&j->o);
}

const struct agent_ops agentjob_ops = {job_open, job_head, job_clock, job_start,
				       job_fd,	 job_stop, job_late,  job_close};
