/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - moves sub-buffers from the kernel to their destination.
 *
 *	recorder_start      starts threads that wait for full sub-buffers of their CPUs and pass
 *	                    them to the sinks
 *	recorder_stop       takes the rest, also partly filled sub-buffers, and ends the threads
 *
 * Start it before tracing_on is set, stop it after tracing_on is cleared.
 */
#ifndef SONDE_CAPTURE_RECORD_RECORDER_H
#define SONDE_CAPTURE_RECORD_RECORDER_H

#include "capture/tracefs/tracefs.h"

#include <stdint.h>
#include <sys/types.h>

struct recorder;

/* The destination of the sub-buffers of one CPU. One thread at a time calls these functions. */
struct page_sink {
	void *ctx;
	/*
	 * Moves n_bytes, whole sub-buffers, out of a pipe. Returns the bytes moved. Returns -EINVAL
	 * if that is not possible and nothing was moved; then take() gets them. Any other negative
	 * errno ends the recording. NULL: only use take().
	 */
	ssize_t (*splice)(void *ctx, int pipe_fd, size_t n_bytes);
	/* Gets whole sub-buffers. Returns 0 or a negative errno. */
	int (*take)(void *ctx, const void *pages, size_t n_bytes);
	/* Replaces the last sub-buffer, if it was taken alone. NULL: not possible. */
	int (*replace)(void *ctx, const void *page, size_t n_bytes);
	/* Called every flush_ms, after partly filled sub-buffers were taken; may be NULL. */
	int (*flush)(void *ctx);
};

struct recorder_stream {
	const char *instance;
	unsigned cpu;
	uint32_t page_size;
	bool snapshot; /* use snapshot_raw instead of trace_pipe_raw */
	struct page_sink sink;
};

struct recorder_config {
	const struct tracefs *t;
	const struct recorder_stream *streams; /* copied */
	size_t n_streams;
	unsigned sleep_us; /* 0: wait until the kernel reports data */
	/* interval for taking partly filled sub-buffers; 0: only at the end */
	unsigned flush_ms;
	int rt_priority;      /* SCHED_FIFO; 0: no */
	bool no_splice, busy; /* --nosplice, --poll */
};

int recorder_start(struct recorder **ret_recorder, const struct recorder_config *config,
		   struct errmsg *err);

/*
 * Returns a descriptor that becomes readable when a sink failed and the recording cannot continue.
 */
int recorder_fd(const struct recorder *r);

/*
 * Stops and frees r. Returns 0, or the first failure of a sink, with its message in err.
 * *ret_cpu_ns is the CPU time used.
 */
int recorder_stop(struct recorder *r, uint64_t *ret_cpu_ns, struct errmsg *err);

/* Reads the current contents of the buffers once (extract). */
int recorder_drain(const struct recorder_config *config, struct errmsg *err);

#endif
