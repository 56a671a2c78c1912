/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h - a session's sub-buffers into a trace file, while they come.
 *
 *	session_open
 *	recording_open       the file stands there, empty; the recorder waits
 *	session_start
 *	session_wait         with recording_flush() as its tick, twice a second
 *	session_stop
 *	recording_finish     the rest, the names, the statistics
 *	session_close
 */
#ifndef SONDE_CAPTURE_RECORD_RECORDING_H
#define SONDE_CAPTURE_RECORD_RECORDING_H

#include "capture/record/session.h"
#include "store/tracefile.h"

struct recording;

struct recording_config {
	const char *path, *temp_dir;
	int version;
	enum compression compression;
	bool plain_data;       /* only texts are compressed, sub-buffers are not */
	uint64_t max_bytes;    /* of each CPU, 0: all */
	const char *ts_offset; /* NULL: none */
	bool date, tsc2nsec, proc_map, snapshot;
	const struct plan_words *hooks;
	uint64_t trace_id;   /* 0: made up */
	const char *program; /* "sonde 1.2", for those who ask who recorded it */
	unsigned sleep_us;
	int rt_priority;
	bool no_splice, busy;
};

/*
 * What a recording came to. events and lost are by the kernel's counters since the recording began; other
 * readers of the same buffer are in them. How many events are in the file only the file tells.
 */
struct recording_sum {
	uint64_t events, lost, bytes; /* bytes: of the file */
	bool counted;		      /* events and lost are known */
	uint64_t recorder_ns;	      /* CPU time of the recorder */
};

int recording_open(struct recording **ret_recording, struct session *s,
		   const struct recording_config *config, struct errmsg *err);
/* For session_wait(). */
int recording_fd(const struct recording *rec);
/* Brings the file up to date. */
int recording_flush(struct recording *rec, struct errmsg *err);
/* Bytes in the file now. */
uint64_t recording_bytes(const struct recording *rec);

/*
 * A descriptor of the file, the caller's own, to read the file after recording_finish(): by then somebody else may have
 * put another one under its name. -errno; -ENOENT if there is no file yet (the text of a latency tracer).
 */
int recording_dup(const struct recording *rec);

/* One more option, any time before recording_finish(). */
int recording_add_option(struct recording *rec, uint16_t id, struct piece data, struct errmsg *err);
/* After session_stop(). Frees rec. On failure the file holds what it could take. */
int recording_finish(struct recording *rec, struct recording_sum *ret_sum, struct errmsg *err);
/* Gives up before session_start(): the file that was there before is gone only if it was replaced. */
void recording_free(struct recording *rec);

/* Gives every option that is known at the start to put(): for who writes or sends it elsewhere. */
int recording_options(struct session *s, const struct recording_config *config,
		      int (*put)(void *ctx, uint16_t id, struct piece data, struct errmsg *err),
		      void *ctx, struct errmsg *err);

/* Reads what the buffers hold now into a file, and nothing else (extract). */
int recording_extract(struct session *s, const struct recording_config *config,
		      struct recording_sum *ret_sum, struct errmsg *err);

#endif
