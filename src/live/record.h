/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - records this machine into a file, until the command ends or a signal comes.
 */
#ifndef SONDE_LIVE_RECORD_H
#define SONDE_LIVE_RECORD_H

#include "capture/record/recording.h"
#include "live/request.h"

#include <sys/resource.h>

/* How a recording ended. */
struct record_outcome {
	const char *path;
	int fd;			  /* of the file, for the caller to close; negative: none */
	struct recording_sum sum; /* its events are what the kernel counted */
	double seconds, event_ns, probe_seconds;
	uint64_t n_missed;     /* hits of probes */
	struct rusage command; /* and its children */
	unsigned n_cpus;
	bool ran_command;
	bool has_failed; /* the file could not take all of it */
	int command_status;
};

#define RECORD_STATUS_CPUS 32

/* How it goes. */
struct record_status {
	double seconds, events_per_second;
	uint64_t n_bytes, n_lost;
	int fill_percent[RECORD_STATUS_CPUS]; /* of the buffers of the first CPUs */
	size_t n_fill;
};

/* What a command does meanwhile; a NULL is not called. */
struct record_watch {
	/* Twice a second: is the status wanted? Then it is shown; end_status() comes at the end. */
	bool (*wants_status)(void);
	void (*show_status)(const struct record_status *s);
	void (*end_status)(void);
	/* In place of the front's, while a status may stand on the screen. */
	void (*tell)(const char *sentence);
};

/*
 * Into config->path. argv: the command or NULL. ret_outcome is filled on failure, too: what was recorded until then is in
 * the file if sum.bytes says so.
 */
int record_to_file(struct live_request *o, const struct recording_config *config, char **argv,
		   const struct record_watch *watch, struct record_outcome *ret_outcome,
		   struct errmsg *err);

#endif
