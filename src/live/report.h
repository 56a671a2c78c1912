/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - the lines of `sonde report`, of a trace that is being recorded.
 *
 *	livereport_new
 *	    livereport_step …        as long as there is something, for as long as there is time
 *	livereport_free
 *
 * All in one thread. The trace is one of livepages.h, whose pages some other thread hands in.
 */
#ifndef SONDE_LIVE_REPORT_H
#define SONDE_LIVE_REPORT_H

#include "base/errmsg.h"
#include "decode/formats/formats.h"
#include "inputs/inputs.h"
#include "live/run.h"
#include "present/lines.h"
#include "store/tracefile.h"

struct livereport;
struct setup;

struct livereport_spec {
	struct inputs_spec in;	/* which events; no paths, nothing that needs the whole trace */
	struct lines_spec show; /* how they look; no wakeup latencies */
	int fd;			/* where lines go; stays open */
	bool colour;
	/* Makes a text fit for who shows it; 0 or -ENOMEM. NULL: it stays as it is. */
	int (*escape)(void *ctx, struct textbuf *tb);
	void *escape_ctx;
};

/* setup: what the trace is made by. Both stay the caller's, as tf does. */
int livereport_new(struct livereport **ret_report, struct tracefile *tf,
		   const struct livereport_spec *spec, const struct setup *setup,
		   struct errmsg *err);
void livereport_free(struct livereport *lr);

/* Who wants to see the records before they are printed; formats are those of the trace. */
void livereport_watch(struct livereport *lr, void (*see)(void *ctx, const struct batch *b),
		      void *ctx);
struct formats *livereport_formats(struct livereport *lr);

/* The task has another name than it had, which the system knows. */
void livereport_rename(struct livereport *lr, int pid);

/*
 * Prints what has come, until until_ns (CLOCK_MONOTONIC). 1: all that can be shown by now; 0: there was
 * no time for the rest; -EPIPE: nobody reads any more; another negative errno, with its sentence.
 */
int livereport_step(struct livereport *lr, uint64_t until_ns, struct errmsg *err);

/* After a 1: will there be no more? */
bool livereport_has_ended(const struct livereport *lr);

/* Events that were read and not printed. The report is over then. */
uint64_t livereport_count_rest(struct livereport *lr);
/* These four for liverun_follow(), with the report as its ctx; lost_text and last_ms are the caller's. */
extern const struct liverun_taker livereport_taker;

/* How many were printed. */
uint64_t livereport_n_printed(const struct livereport *lr);

#endif
