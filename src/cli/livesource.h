/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livesource.h - a live trace as the one input of a report.
 */
#ifndef SONDE_CLI_LIVESOURCE_H
#define SONDE_CLI_LIVESOURCE_H

#include "capture/setup/setup.h"
#include "cli/livenames.h"
#include "cli/report_sources.h"

struct livesource {
	struct report rep; /* with one file, which is the trace */
	struct report_file file;
	struct report_input input;
	struct report_sources src;
	struct livenames names;
	const struct setup *setup;
	uint8_t *events;    /* those to be seen; NULL: all */
	uint64_t *n_walked; /* by id, seen or not; NULL: nobody asks */
};

/*
 * opts: how events are shown, and which; no inputs, nothing that needs the whole trace. Of config what
 * opts cannot say counts: stop, wait, hold_rounds. setup: what is traced by; events that are on for the names of
 * tasks alone are not seen. All stay the caller's, as tf does. Close it on failure, too.
 */
int livesource_open(struct livesource *ls, struct tracefile *tf, const struct report_options *opts,
		    const struct sequence_config *config, const struct setup *setup,
		    struct errmsg *err);
void livesource_close(struct livesource *ls);

/* Looks whether the tasks of these records have other names by now, for the records that follow; if no event tells. */
void livesource_refresh(struct livesource *ls, const struct batch *b);

/* The task has this name from now on: what /proc says, if no event will tell. */
void livesource_rename(struct livesource *ls, int pid);

#endif
