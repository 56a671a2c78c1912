/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - writes a session's sub-buffers into a trace file during the recording.
 *
 *	session_open
 *	recording_open       creates the file, without events; the recorder waits
 *	session_start
 *	session_wait         with recording_flush() as its tick, twice a second
 *	session_stop
 *	recording_finish     adds the rest, the names, the statistics
 *	session_close
 */
#ifndef SONDE_CAPTURE_RECORD_RECORDING_H
#define SONDE_CAPTURE_RECORD_RECORDING_H

#include "capture/record/session.h"
#include "format/bytes.h"
#include "store/tracefile.h"

struct recording;
struct sampling;
struct systrace;
struct usertrace;

struct recording_config {
	const char *path, *temp_dir;
	int version;
	enum compression compression;
	bool plain_data;       /* compress only texts, not sub-buffers */
	uint64_t max_bytes;    /* for each CPU; 0: no limit */
	const char *ts_offset; /* NULL: none */
	bool date, tsc2nsec, proc_map, snapshot;
	const struct plan_words *hooks;
	uint64_t trace_id;   /* 0: choose one */
	const char *program; /* "sonde 1.2": the program that recorded it */
	unsigned sleep_us;
	int rt_priority;
	bool no_splice, busy;
	struct usertrace *user;	   /* functions of programs, too; NULL: none */
	struct sampling *samples;  /* samples, too, attached; NULL: none */
	struct systrace *syscalls; /* system calls, too; NULL: none */
};

/*
 * The result of a recording. events and lost come from the kernel's counters since the start of the
 * recording, and include other readers of the same buffer. Only the file shows how many events it
 * has.
 */
struct recording_sum {
	uint64_t events, lost, bytes; /* bytes: size of the file */
	bool counted;		      /* events and lost are known */
	uint64_t recorder_ns;	      /* CPU time of the recorder */
};

int recording_open(struct recording **ret_recording, struct session *s,
		   const struct recording_config *config, struct errmsg *err);
/* Returns the descriptor for session_wait(). */
int recording_fd(const struct recording *rec);
/* Writes the current state to the file. */
int recording_flush(struct recording *rec, struct errmsg *err);
/* Returns the current size of the file in bytes. */
uint64_t recording_bytes(const struct recording *rec);

/*
 * Returns a descriptor of the file, owned by the caller, to read it after recording_finish(), when
 * another file may have its name. Returns -errno; -ENOENT if there is no file yet (the text of a
 * latency tracer).
 */
int recording_dup(const struct recording *rec);

/* Adds an option, at any time before recording_finish(). */
int recording_add_option(struct recording *rec, uint16_t id, struct piece data, struct errmsg *err);
/*
 * Completes the file after session_stop(), and frees rec. On failure the file has the data that
 * could be written.
 */
int recording_finish(struct recording *rec, struct recording_sum *ret_sum, struct errmsg *err);
/* Cancels before session_start(). An earlier file is lost only if it was replaced. */
void recording_free(struct recording *rec);

/*
 * Passes every option that is known at the start to put(), for callers that write or send it
 * elsewhere.
 */
int recording_options(struct session *s, const struct recording_config *config,
		      int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
		      void *ctx, struct errmsg *err);

/* Reads the current contents of the buffers into a file (extract). */
int recording_extract(struct session *s, const struct recording_config *config,
		      struct recording_sum *ret_sum, struct errmsg *err);

#endif
