/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feeder.h - reads the kernel's buffers in rounds, for events that are shown at once.
 *
 *	liverecorder_start     starts a thread that reads every CPU, some twenty times a second
 *	liverecorder_stop      reads the rest; livepages_end()
 *
 * recorder.h waits for full sub-buffers and moves them without copying; this code copies the
 * available data. Start it before tracing_on is set, stop it after tracing_on is cleared.
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
	unsigned sleep_us; /* pause between rounds; 0: 50 ms */
	int rt_priority;   /* SCHED_FIFO; 0: no */
	bool busy;	   /* do not sleep at all */
	/*
	 * Another source, read in every round: it adds its pages and reports its CPUs as read.
	 * Returns how many microseconds it may wait, -EAGAIN if there is no room for its pages, or
	 * another negative errno. is_last: nothing comes after this. NULL: there is none.
	 */
	int (*read_other)(void *ctx, uint64_t round, bool is_last);
	void *other_ctx;
};

int liverecorder_start(struct liverecorder **ret_recorder, const struct liverecorder_config *config,
		       struct errmsg *err);

/* Returns a descriptor that becomes readable when the recording cannot continue. */
int liverecorder_fd(const struct liverecorder *r);

/*
 * Starts to end. Reads the rest within within_ms; UINT_MAX: reads all, however long it takes. The
 * caller must continue to decode pages; otherwise there is no room for more.
 */
void liverecorder_finish(struct liverecorder *r, unsigned within_ms);
/*
 * Stops the thread after liverecorder_finish(), and frees r. Returns the failure, if there was one,
 * with its message in err.
 */
int liverecorder_stop(struct liverecorder *r, struct errmsg *err);

#endif
