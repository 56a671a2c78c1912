/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorder.h - moves sub-buffers from the kernel to where they are kept.
 *
 *	recorder_start      threads wait for full sub-buffers of their CPUs and hand them to the sinks
 *	recorder_stop       takes what is left, partly filled ones too; the threads are gone
 *
 * Start it before tracing_on is set, stop it after it was cleared.
 */
#ifndef SONDE_CAPTURE_RECORD_RECORDER_H
#define SONDE_CAPTURE_RECORD_RECORDER_H

#include "capture/tracefs/tracefs.h"

#include <stdint.h>
#include <sys/types.h>

struct recorder;

/* Where the sub-buffers of one CPU go. Called by one thread at a time. */
struct page_sink {
	void *ctx;
	/*
	 * Moves n_bytes, whole sub-buffers, out of a pipe. Bytes moved; -EINVAL: cannot, nothing was
	 * moved, take() gets them; other negative errno: the recording ends. NULL: only take().
	 */
	ssize_t (*splice)(void *ctx, int pipe_fd, size_t n_bytes);
	/* Whole sub-buffers. 0 or a negative errno. */
	int (*take)(void *ctx, const void *pages, size_t n_bytes);
	/* Puts another content into the sub-buffer that was taken last, and alone. NULL: cannot. */
	int (*replace)(void *ctx, const void *page, size_t n_bytes);
	/* Once every flush_ms, after the rest was taken; may be NULL. */
	int (*flush)(void *ctx);
};

struct recorder_stream {
	const char *instance;
	unsigned cpu;
	uint32_t page_size;
	bool snapshot; /* snapshot_raw instead of trace_pipe_raw */
	struct page_sink sink;
};

struct recorder_config {
	const struct tracefs *t;
	const struct recorder_stream *streams; /* copied */
	size_t n_streams;
	unsigned sleep_us; /* 0: wait until the kernel says that there is something */
	unsigned flush_ms; /* partly filled sub-buffers are taken this often; 0: only at the end */
	int rt_priority;   /* SCHED_FIFO, 0: not */
	bool no_splice, busy; /* --nosplice, --poll */
};

int recorder_start(struct recorder **ret_recorder, const struct recorder_config *config,
		   struct errmsg *err);

/* A descriptor that becomes readable when a sink failed and the recording cannot go on. */
int recorder_fd(const struct recorder *r);

/* Frees r. The first failure of a sink, with its sentence in err; 0. *ret_cpu_ns: what it cost. */
int recorder_stop(struct recorder *r, uint64_t *ret_cpu_ns, struct errmsg *err);

/* Reads all there is once and ends: what a buffer holds now (extract). */
int recorder_drain(const struct recorder_config *config, struct errmsg *err);

#endif
