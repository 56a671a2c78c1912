/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - records this machine into a file, until the command ends or a signal arrives.
 */
#ifndef SONDE_LIVE_RECORD_H
#define SONDE_LIVE_RECORD_H

#include "capture/calls/usertrace.h"
#include "capture/perf/sampling.h"
#include "capture/record/recording.h"
#include "live/request.h"

#include <sys/resource.h>

/* How a recording ended. */
struct record_outcome {
	const char *path;
	/* descriptor of the file, which the caller closes; negative: none */
	int fd;
	struct recording_sum sum; /* its number of events is that of the kernel */
	double seconds, event_ns, probe_seconds;
	uint64_t n_missed;     /* missed hits of probes */
	struct rusage command; /* resources of the command and its children */
	unsigned n_cpus;
	bool ran_command;
	bool has_failed; /* some data could not be written to the file */
	int command_status;
	pid_t running;	   /* the command, if the recording was asked to end before it; 0: none */
	bool has_user;	   /* functions of programs were recorded (-u) */
	bool is_user_only; /* only functions of programs were recorded */
	struct usertrace_sum user;
	bool has_samples, is_sample_only; /* --sample; and nothing of the kernel or of functions */
	struct sampling_sum samples;
};

#define RECORD_STATUS_CPUS 32

/* The state of a recording. */
struct record_status {
	double seconds, events_per_second;
	uint64_t n_bytes, n_lost;
	int fill_percent[RECORD_STATUS_CPUS]; /* fill level of the buffers of the first CPUs */
	size_t n_fill;
};

/* Functions that the command supplies; NULL: not called. */
struct record_watch {
	/*
	 * Called twice a second. Returns true if the status is wanted, which is then shown.
	 * end_status() comes at the end.
	 */
	bool (*wants_status)(void);
	void (*show_status)(const struct record_status *s);
	void (*end_status)(void);
	/* Replaces the tell() of the front while a status may be on the screen. */
	void (*tell)(const char *sentence);
};

/*
 * Records into config->path. argv is the command, or NULL. ret_outcome is filled even on failure:
 * if sum.bytes is not 0, the file has the data recorded until then.
 */
int record_to_file(struct live_request *o, const struct recording_config *config, char **argv,
		   const struct record_watch *watch, struct record_outcome *ret_outcome,
		   struct errmsg *err);

#endif
