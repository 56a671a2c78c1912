/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record_int.h - declarations that record, start, set, stream, profile and extract share:
 * the plan of a command line, and messages about a written file.
 */
#ifndef SONDE_CLI_AS_TRACECMD_RECORD_INT_H
#define SONDE_CLI_AS_TRACECMD_RECORD_INT_H

#include "base/errmsg.h"
#include "capture/record/session.h"
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/record/guestwords.h"
#include "cli/record/recordopts.h"
#include "live/remote/guests.h"

/* the program's name in files */
#define TRACECMD_PROGRAM TRACECMD_VERSION " (sonde " SONDE_VERSION ")"

/* --- order.c ---------------------------------------------------------------------------------- */

/* The request of a command line. */
struct tc_order {
	struct live_request o;
	struct guest_list guests;
	char **argv;  /* the command and its arguments; NULL: there is none */
	char **words; /* the memory into which argv and the guests point */
};

/* Makes the request. Release order also after a failure. */
int tc_order_init(struct tc_order *order, const struct tc_line *line, struct errmsg *err);
void tc_order_release(struct tc_order *order);

/* Print to standard error the tracers in use, and the replacements. */
void tc_tell_tracers(const struct live_request *o);
void tc_tell_notes(const struct setup *s, const struct live_request *o);

/* --- outcome.c -------------------------------------------------------------------------------- */

struct tc_losses {
	struct tc_loss *rows;
	size_t n;
};

/* Reads the losses of a session that has stopped. The caller frees the rows. */
void tc_losses_read(struct tc_losses *losses, const struct session *s);

/*
 * Prints the position and size of the data of each CPU of each buffer, and the losses. n_cpus 0:
 * the number in the file.
 */
void tc_tell_file(const char *path, const struct live_request *o, const struct tc_losses *losses,
		  unsigned n_cpus);

#endif
