/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guestrecord.h - record -A: guests through their agents, together with the host.
 */
#ifndef SONDE_CLI_GUESTRECORD_H
#define SONDE_CLI_GUESTRECORD_H

#include "base/options.h"
#include "capture/record/recording.h"

struct background;
struct live_request;

struct guest_words {
	const char *place; /* NAME@CID[:PORT], CID[:PORT], HOST[:PORT] */
	const char *name;  /* --name, or NULL */
	char **words;	   /* for its agent */
	size_t n_words;
};

struct guest_list {
	struct guest_words *guests;
	size_t n;
};

/*
 * Takes every -A and what belongs to it out of argv: the options up to the next -A or -B, or to the
 * command. Shortens argc. The words point into argv.
 */
int guest_list_take(struct guest_list *list, const struct option_row *rows, int *argc, char **argv,
		    struct errmsg *err);
void guest_list_release(struct guest_list *list);

/* Where a guest's trace is written: trace.dat becomes trace-NAME.dat. -ENAMETOOLONG. */
int guestrecord_fmt_path(const struct guest_words *w, const char *host_path, char *buf,
			 size_t n_bytes);

int guestrecord_run(struct live_request *o, const struct recording_config *config,
		    const struct guest_list *list, char **argv, struct background *bg,
		    struct errmsg *err);

#endif
