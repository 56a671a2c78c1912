/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - runs a session whose records are processed while they arrive: the common part of stream,
 * profile and live recipes.
 *
 *	liverun_open      sets up the machine and prints notes; the recorder waits
 *	    (the caller opens its taker, on livetrace_file(run->lt))
 *	liverun_follow    runs from the start of the command to the last record
 *	    (session_restore, before a long output)
 *	    (the caller closes its taker)
 *	liverun_close     restores all settings
 *
 * All this runs in one thread; the recorder has its own.
 */
#ifndef SONDE_LIVE_RUN_H
#define SONDE_LIVE_RUN_H

#include "base/errmsg.h"
#include "capture/record/livetrace.h"
#include "live/request.h"

/* The functions that process the records. */
struct liverun_taker {
	/* Notes that the system reports a new name of the task. */
	void (*rename)(void *ctx, int pid);
	/*
	 * Takes new records, until until_ns (CLOCK_MONOTONIC). Returns 1 if all were taken; 0 if
	 * there was no time for the rest; -EPIPE if the reader has closed the output; another
	 * negative errno with a message.
	 */
	int (*step)(void *ctx, uint64_t until_ns, struct errmsg *err);
	/* Returns true if step() returned 1 because the records have ended. */
	bool (*has_ended)(void *ctx);
	/* Counts records that arrived but were not taken. This ends the run. */
	uint64_t (*count_rest)(void *ctx);
	/*
	 * Returns the number of records by event id (SEQUENCE_IDS numbers), or NULL if unknown. May
	 * be NULL.
	 */
	const uint64_t *(*n_walked)(void *ctx);
	/*
	 * texts of messages about records that were not taken, and about lost ones, after a number
	 */
	const char *rest_text, *lost_text;
	bool at_once;	  /* a signal ends the run soon; if false, all records are taken first */
	unsigned last_ms; /* time limit for the end, or after a second signal */
};

struct liverun {
	struct session s;
	struct livetrace *lt;
	struct usertrace *user; /* functions of programs (-u); NULL: none */
	struct live_request *request;
	uint64_t until_ns; /* time when the run ends by itself; 0: with the command, or a signal */
	/* internal */
	const struct liverun_taker *taker;
	void *ctx;
	bool has_session; /* it was opened, perhaps only in part */
	bool no_reader;
	struct errmsg err; /* error of a tick */
};

/*
 * Opens a run. argv is the command, or NULL. The caller owns the request. Close run even after a
 * failure.
 */
int liverun_open(struct liverun *run, struct live_request *request, char **argv,
		 struct errmsg *err);

/* Runs to the end. Returns -EPIPE without a message if the reader has closed the output. */
int liverun_follow(struct liverun *run, const struct liverun_taker *taker, void *ctx,
		   struct errmsg *err);

int liverun_close(struct liverun *run, struct errmsg *err);

#endif
