/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - prints the lines of `sonde report` for a trace that is being recorded.
 *
 *	livereport_new
 *	    livereport_follow        prints records while they arrive
 *	livereport_free
 *
 * Everything runs in one thread. The trace is one of livepages.h; another thread adds its pages.
 */
#ifndef SONDE_LIVE_REPORT_H
#define SONDE_LIVE_REPORT_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "decode/formats/formats.h"
#include "inputs/inputs.h"
#include "live/run.h"
#include "present/lines.h"
#include "store/tracefile.h"

struct livereport;
struct setup;

struct livereport_spec {
	/* selection of events; no paths, and nothing that needs the whole trace */
	struct inputs_spec in;
	struct lines_spec show; /* format of lines; no wakeup latencies */
	int fd;			/* output descriptor, which stays open */
	bool colour;
	/* Escapes a text for output. Returns 0 or -ENOMEM. NULL: the text is unchanged. */
	int (*escape)(void *ctx, struct textbuf *tb);
	void *escape_ctx;
};

/* Creates a report. setup is the setup of the trace. The caller owns spec, setup and tf. */
int livereport_new(struct livereport **ret_report, struct tracefile *tf,
		   const struct livereport_spec *spec, const struct setup *setup,
		   struct errmsg *err);
void livereport_free(struct livereport *lr);
SCOPED_POINTER(struct livereport, livereport_free)

/*
 * Sets a function that gets the records before they are printed. The formats are those of the
 * trace.
 */
void livereport_watch(struct livereport *lr, void (*see)(void *ctx, const struct batch *b),
		      void *ctx);
struct formats *livereport_formats(struct livereport *lr);

/*
 * Prints the records of the run to its end, as liverun_follow() does. See run.h for lost_text and
 * last_ms.
 */
int livereport_follow(struct livereport *lr, struct liverun *run, const char *lost_text,
		      unsigned last_ms, struct errmsg *err);

#endif
