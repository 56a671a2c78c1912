/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feeder.h - reads the kernel's buffers in rounds, for those who look at the events at once.
 *
 *	liverecorder_start     a thread looks at every CPU, some twenty times a second
 *	liverecorder_stop      takes what is left; livepages_end()
 *
 * Unlike recorder.h, which waits for full sub-buffers and moves them without copying, it takes what is
 * there. Start it before tracing_on is set, stop it after it was cleared.
 */
#ifndef SONDE_CAPTURE_RECORD_FEEDER_H
#define SONDE_CAPTURE_RECORD_FEEDER_H

#include "capture/tracefs/tracefs.h"
#include "store/live/livepages.h"

struct errmsg;
struct liverecorder;

struct live_stream {
	const char *instance;
	size_t buffer; /* of the live trace */
	unsigned cpu;
	uint32_t page_size;
};

struct liverecorder_config {
	const struct tracefs *t;
	struct livepages *pages;
	const struct live_stream *streams; /* copied; CPUs that are in none are taken as empty */
	size_t n_streams;
	unsigned sleep_us; /* between rounds; 0: 50 ms */
	int rt_priority;   /* SCHED_FIFO, 0: not */
	bool busy;	   /* no sleep at all */
};

int liverecorder_start(struct liverecorder **ret_recorder, const struct liverecorder_config *config,
		       struct errmsg *err);

/* A descriptor that becomes readable when the recording cannot go on. */
int liverecorder_fd(const struct liverecorder *r);

/*
 * Begins to end: no more than within_ms is spent on reading what is left, and if all must be read
 * (UINT_MAX) as long as it takes. The pages must be decoded meanwhile, or there is no room for more.
 */
void liverecorder_finish(struct liverecorder *r, unsigned within_ms);
/* After liverecorder_finish(). Frees r. The failure, if there was one, with its sentence in err. */
int liverecorder_stop(struct liverecorder *r, struct errmsg *err);

#endif
