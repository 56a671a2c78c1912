/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livetrace.h - makes a session a trace that can be read during the recording.
 *
 *	session_open
 *	livetrace_open       opens a live tracefile; the recorder waits
 *	session_start
 *	session_wait         with a tick function that decodes new events
 *	session_stop
 *	livetrace_finish     reads the rest, while the caller continues decoding
 *	livetrace_close
 *	session_close
 *
 * It works like recording.h, with memory instead of a file.
 */
#ifndef SONDE_CAPTURE_RECORD_LIVETRACE_H
#define SONDE_CAPTURE_RECORD_LIVETRACE_H

#include "capture/record/session.h"
#include "store/live/livepages.h"

struct livetrace;
struct recording_config;

/*
 * Opens the trace. Uses only the fields of config about time (date, ts_offset, tsc2nsec) and the
 * recorder.
 */
int livetrace_open(struct livetrace **ret_trace, struct session *s,
		   const struct recording_config *config, struct errmsg *err);

/* Returns the tracefile, which belongs to lt. */
struct tracefile *livetrace_file(struct livetrace *lt);
/* Returns the descriptor for session_wait(). */
int livetrace_fd(const struct livetrace *lt);

/*
 * Starts to end. UINT_MAX reads everything. It may be called again with less time. See
 * liverecorder_finish().
 */
void livetrace_finish(struct livetrace *lt, unsigned within_ms);
/* Frees lt and its tracefile. Free everything that uses it first. lt may be NULL. */
int livetrace_close(struct livetrace *lt, struct errmsg *err);
/* Waits for the recorder. After that no more events come. */
int livetrace_end(struct livetrace *lt, struct errmsg *err);

/*
 * Returns the number of events that are still in the kernel's buffers, and that were lost, over all
 * CPUs. Call it after session_stop().
 */
void livetrace_count(const struct livetrace *lt, uint64_t *ret_unread, uint64_t *ret_lost);

#endif
