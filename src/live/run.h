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

struct livesource;

/* The functions that process the records. */
struct liverun_taker {
	/*
	 * Takes new records, until livesource_is_late(). Returns 1 if all were taken; 0 if there
	 * was no time for the rest; -EPIPE if the reader has closed the output; another negative
	 * errno with a message.
	 */
	int (*step)(void *ctx, struct errmsg *err);
	/* Counts records that were read but not taken. NULL: none. */
	uint64_t (*count_rest)(void *ctx);
	/*
	 * texts of messages about records that were not taken, and about lost ones, after a number
	 */
	const char *rest_text, *lost_text;
	bool tells_hits;  /* hits that the kernel dropped are reported */
	bool at_once;	  /* a signal ends the run soon; if false, all records are taken first */
	unsigned last_ms; /* time limit for the end, or after a second signal */
};

struct liverun {
	struct session s;
	struct livetrace *lt;
	struct usertrace *user;	   /* functions of programs (-u); NULL: none */
	struct systrace *syscalls; /* NULL: none */
	struct sampling *samples;  /* NULL: none */
	struct live_request *request;
	uint64_t until_ns; /* time when the run ends by itself; 0: with the command, or a signal */
	/* internal */
	const struct liverun_taker *taker;
	struct livesource *in;
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

/*
 * Runs to the end; taker takes the records of `in`. Returns -EPIPE without a message if the reader
 * has closed the output.
 */
int liverun_follow(struct liverun *run, struct livesource *in, const struct liverun_taker *taker,
		   void *ctx, struct errmsg *err);

int liverun_close(struct liverun *run, struct errmsg *err);

#endif
