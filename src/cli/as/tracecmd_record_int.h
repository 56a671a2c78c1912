/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecmd_record_int.h - what record, start, set, stream, profile and extract share: the words once they
 * are a plan, and what is told of a file that was written.
 */
#ifndef SONDE_CLI_AS_TRACECMD_RECORD_INT_H
#define SONDE_CLI_AS_TRACECMD_RECORD_INT_H

#include "base/errmsg.h"
#include "capture/record/session.h"
#include "cli/as/tracecmd_int.h"
#include "cli/record/guestwords.h"
#include "cli/record/recordopts.h"
#include "live/remote/guests.h"

#define TRACECMD_PROGRAM TRACECMD_VERSION " (sonde " SONDE_VERSION ")" /* noted in files */

/* --- tracecmd_order.c -------------------------------------------------------------------------- */

/* What a command line asks for. */
struct tc_order {
	struct live_request o;
	struct guest_list guests;
	char **argv;  /* the command and its arguments; NULL: there is none */
	char **words; /* what argv and the guests point into */
};

/* Release it in any case. */
int tc_order_init(struct tc_order *order, const struct tc_line *line, struct errmsg *err);
void tc_order_release(struct tc_order *order);

/* On standard error: the tracers that are used, and what was put in the place of something. */
void tc_tell_tracers(const struct live_request *o);
void tc_tell_notes(const struct setup *s, const struct live_request *o);

/* --- tracecmd_outcome.c ------------------------------------------------------------------------ */

struct tc_losses {
	struct tc_loss *rows;
	size_t n;
};

/* Of a session that has stopped; the caller frees the rows. */
void tc_losses_read(struct tc_losses *losses, const struct session *s);

/*
 * For each CPU of each buffer where its data is and how large, and what was lost. n_cpus 0: those that the
 * file counts.
 */
void tc_tell_file(const char *path, const struct live_request *o, const struct tc_losses *losses,
		  unsigned n_cpus);

#endif
