/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feeder.h - reads the kernel's buffers in rounds, for users who look at the events at once.
 *
 *	liverecorder_start     a thread reads every CPU, some twenty times a second
 *	liverecorder_stop      reads the rest; livepages_end()
 *
 * recorder.h waits for full sub-buffers and moves them without copying; this one takes what is
 * there. Start it before tracing_on is set, stop it after tracing_on is cleared.
 */
#ifndef SONDE_CAPTURE_RECORD_FEEDER_H
#define SONDE_CAPTURE_RECORD_FEEDER_H

#include "capture/tracefs/tracefs.h"
#include "store/live/livepages.h"

struct errmsg;
struct liverecorder;

struct live_stream {
	const char *instance;
	size_t buffer; /* index in the live trace */
	unsigned cpu;
	uint32_t page_size;
};

struct liverecorder_config {
	const struct tracefs *t;
	struct livepages *pages;
	const struct live_stream *streams; /* copied; CPUs without a stream count as empty */
	size_t n_streams;
	unsigned sleep_us; /* between rounds; 0: 50 ms */
	int rt_priority;   /* SCHED_FIFO; 0: no */
	bool busy;	   /* do not sleep at all */
};

int liverecorder_start(struct liverecorder **ret_recorder, const struct liverecorder_config *config,
		       struct errmsg *err);

/* A descriptor that becomes readable when the recording cannot continue. */
int liverecorder_fd(const struct liverecorder *r);

/*
 * Starts to end: spends at most within_ms on reading the rest; UINT_MAX: reads all, however long it
 * takes. The caller must decode pages meanwhile, or there is no room for more.
 */
void liverecorder_finish(struct liverecorder *r, unsigned within_ms);
/*
 * Call it after liverecorder_finish(). Frees r. Returns the failure, if there was one, with its
 * message in err.
 */
int liverecorder_stop(struct liverecorder *r, struct errmsg *err);

#endif
