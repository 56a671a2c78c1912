/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h - a session whose records are taken while they come: what stream, profile and live recipes
 * have in common.
 *
 *	liverun_open      the machine is set, the recorder waits; what is different here has been said
 *	    (the caller opens its taker, on livetrace_file(run->lt))
 *	liverun_follow    from the start of the command to the last record
 *	    (session_restore, for who has something long to print)
 *	    (the caller closes its taker)
 *	liverun_close     everything as it was
 *
 * One thread; the recorder has its own.
 */
#ifndef SONDE_LIVE_RUN_H
#define SONDE_LIVE_RUN_H

#include "base/errmsg.h"
#include "capture/record/livetrace.h"
#include "live/request.h"

/* Who takes the records. */
struct liverun_taker {
	/* The task has another name than it had, which the system knows. */
	void (*rename)(void *ctx, int pid);
	/*
	 * Takes what has come, until until_ns (CLOCK_MONOTONIC). 1: all of it; 0: there was no time for the
	 * rest; -EPIPE: nobody reads any more; another negative errno, with its sentence.
	 */
	int (*step)(void *ctx, uint64_t until_ns, struct errmsg *err);
	/* After a 1: will there be no more? */
	bool (*has_ended)(void *ctx);
	/* Records that came and were not taken; it is over then. */
	uint64_t (*count_rest)(void *ctx);
	/* How many came, by id (SEQUENCE_IDS of them), or NULL: not known. May be NULL. */
	const uint64_t *(*n_walked)(void *ctx);
	const char *rest_text, *lost_text; /* what is said of them, after a number */
	bool at_once;	  /* a signal means: end soon; else: take all there is, then end */
	unsigned last_ms; /* how long that may take, or after a second signal */
};

struct liverun {
	struct session s;
	struct livetrace *lt;
	struct live_request *request;
	uint64_t until_ns; /* when it ends by itself; 0: with the command, or a signal */
	/* inside */
	const struct liverun_taker *taker;
	void *ctx;
	bool no_reader;
	struct errmsg err; /* of a tick */
};

/* argv: the command or NULL. The request stays the caller's. Close it on failure, too. */
int liverun_open(struct liverun *run, struct live_request *request, char **argv,
		 struct errmsg *err);

/* -EPIPE without a sentence when nobody reads any more. */
int liverun_follow(struct liverun *run, const struct liverun_taker *taker, void *ctx,
		   struct errmsg *err);

int liverun_close(struct liverun *run, struct errmsg *err);

#endif
