/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outcome.h - the sentence that closes a recording: what is in the file, what is not, what it cost.
 *
 *	t.dat: 13 events, 0.9 MB, none lost; overhead 0.2 %
 *
 * Always on standard error: standard output belongs to the command that was recorded.
 */
#ifndef SONDE_CLI_OUTCOME_H
#define SONDE_CLI_OUTCOME_H

#include "capture/record/recording.h"
#include "cli/recordopts.h"

#include <sys/resource.h>

struct outcome {
	const struct live_request *o;
	const char *path;
	int fd;			  /* of the file, recording_dup(); negative: none */
	struct recording_sum sum; /* its events are what the kernel counted */
	double seconds, event_ns, probe_seconds;
	uint64_t n_missed;     /* hits of probes */
	struct rusage command; /* and its children */
	unsigned n_cpus;
	bool ran_command;
	bool has_failed; /* the file could not take all of it */
	int command_status;
};

void outcome_show(const struct outcome *oc);

/*
 * For who knows less: "t.dat: 13 events, 0.9 MB, none lost". n_counted, what the kernel counted, is for a
 * file that is too large to count. fd: recording_dup(), or -1.
 */
void outcome_show_file(int fd, const char *path, uint64_t n_counted, uint64_t n_lost);
/* The first half of that. Returns the number of events. */
uint64_t outcome_add_file(struct textbuf *tb, int fd, const char *path, uint64_t n_counted);

#endif
