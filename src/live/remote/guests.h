/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guests.h - record -A: guests through their agents, together with the host.
 */
#ifndef SONDE_LIVE_REMOTE_GUESTS_H
#define SONDE_LIVE_REMOTE_GUESTS_H

#include "capture/record/recording.h"

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

/* Where a guest's trace is written: trace.dat becomes trace-NAME.dat. -ENAMETOOLONG. */
int guestrecord_fmt_path(const struct guest_words *w, const char *host_path, char *buf,
			 size_t n_bytes);

struct guest_outcome {
	const char *path, *name; /* of the guest's file, of the guest */
	uint32_t n_cpus;
	bool is_synchronised; /* its times are the host's */
};

/* Who hears what became of each file. */
struct guest_report {
	void (*guest)(const struct guest_outcome *g);
	/* fd: recording_dup(), or negative. */
	void (*host)(int fd, const char *path, const struct recording_sum *sum);
};

/* argv: the command or NULL. report may be NULL. */
int guestrecord_run(struct live_request *o, const struct recording_config *config,
		    const struct guest_list *list, char **argv, const struct guest_report *report,
		    struct errmsg *err);

#endif
