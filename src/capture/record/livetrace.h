/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livetrace.h - a session as a trace that can be read while it is recorded.
 *
 *	session_open
 *	livetrace_open       a live tracefile; the recorder waits
 *	session_start
 *	session_wait         with a tick that decodes what has come
 *	session_stop
 *	livetrace_finish     what is left is read, while the caller goes on decoding
 *	livetrace_close
 *	session_close
 *
 * The same as recording.h, with memory in place of the file.
 */
#ifndef SONDE_CAPTURE_RECORD_LIVETRACE_H
#define SONDE_CAPTURE_RECORD_LIVETRACE_H

#include "capture/record/session.h"
#include "store/live/livepages.h"

struct livetrace;
struct recording_config;

/* Of config only what is said of time counts (date, ts_offset, tsc2nsec), and of the recorder. */
int livetrace_open(struct livetrace **ret_trace, struct session *s,
		   const struct recording_config *config, struct errmsg *err);

/* Belongs to lt. */
struct tracefile *livetrace_file(struct livetrace *lt);
/* For session_wait(). */
int livetrace_fd(const struct livetrace *lt);

/* UINT_MAX: all of it is read; may be called again with less. See liverecorder_finish(). */
void livetrace_finish(struct livetrace *lt, unsigned within_ms);
/* Frees lt, with its tracefile: what was made of that must be gone. lt may be NULL. */
int livetrace_close(struct livetrace *lt, struct errmsg *err);
/* Only waits for the recorder; then nothing more comes. */
int livetrace_end(struct livetrace *lt, struct errmsg *err);

/* Events that the kernel still holds, and those it lost, over all CPUs. After session_stop(). */
void livetrace_count(const struct livetrace *lt, uint64_t *ret_unread, uint64_t *ret_lost);

#endif
