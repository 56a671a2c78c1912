/* SPDX-License-Identifier: GPL-2.0-or-later */
/* guests.h - records guests through their agents, together with the host (record -A). */
#ifndef SONDE_LIVE_REMOTE_GUESTS_H
#define SONDE_LIVE_REMOTE_GUESTS_H

#include "capture/record/recording.h"

struct live_request;

struct guest_words {
	const char *place; /* NAME@CID[:PORT], CID[:PORT], HOST[:PORT] */
	const char *name;  /* --name, or NULL */
	char **words;	   /* words for the agent */
	size_t n_words;
};

struct guest_list {
	struct guest_words *guests;
	size_t n;
};

/*
 * Writes the name of a guest's trace: trace.dat becomes trace-NAME.dat. Returns 0 or -ENAMETOOLONG.
 */
int guestrecord_fmt_path(const struct guest_words *w, const char *host_path, char *buf,
			 size_t n_bytes);

struct guest_outcome {
	const char *path, *name; /* path of the guest's file, name of the guest */
	uint32_t n_cpus;
	bool is_synchronised; /* the times are those of the host's clock */
};

/* Functions that report the result of each file. */
struct guest_report {
	void (*guest)(const struct guest_outcome *g);
	/* fd is the result of recording_dup(), or negative. */
	void (*host)(int fd, const char *path, const struct recording_sum *sum);
};

/* Records. argv is the command, or NULL; report may be NULL. */
int guestrecord_run(struct live_request *o, const struct recording_config *config,
		    const struct guest_list *list, char **argv, const struct guest_report *report,
		    struct errmsg *err);

#endif
