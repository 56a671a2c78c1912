/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.h - what a user wants traced, and how: the data behind the options of record and its like.
 *
 * The command line fills it (cli/record/recordopts.h); recording, streaming, counting and profiling read it. Strings belong to the
 * command line, except those of the plan and of the word lists, which live_request_release() frees.
 */
#ifndef SONDE_LIVE_REQUEST_H
#define SONDE_LIVE_REQUEST_H

#include "capture/plan.h"
#include "live/front.h"

struct errmsg;
struct guest_list;
struct recording_config;
struct setup_notes;

struct live_request {
	struct plan plan;
	bool negate, has_negated; /* -v, and an event that came after it */
	bool is_peer;		  /* as trace-cmd, which takes more than makes sense */
	/* the file */
	const char *output, *temp_dir, *compression;
	long long file_version, max_kb;
	bool all_formats, date, proc_map, tsc2nsec;
	const char *ts_offset;
	/* the recorder */
	long long sleep_us, rt_priority;
	bool no_splice, busy, keep, quiet, to_stderr, daemonize;
	const char *user;
	bool boot; /* print kernel parameters that would do the same */
	/* over the network */
	const char *host, *vsock, *key;
	bool tcp, no_timeout;
	const struct guest_list *agents; /* with their words; NULL: none */
	bool no_fifos;
	const char *proxy;
	long long tsync_ms;
	/* profile */
	bool profile, global_irqs, only_named, by_comm;
	struct plan_words hooks;
	bool debug;
	const char *verbose;
	/* who hears how it goes */
	const struct live_front *front;
	void (*begun)(
		void *ctx); /* called once it records, in place of a line that says so; NULL */
	void *begun_ctx;
	struct plan_words told; /* notes that the user has read; another attempt leaves them out */
};

int live_request_init(struct live_request *o, const struct live_front *front);
void live_request_release(struct live_request *o);

/* What session_config.tell is to be: NULL with --quiet. */
void (*live_request_tell(const struct live_request *o))(const char *sentence);
/* One line about how it goes; nothing with --quiet. */
void live_request_say(const struct live_request *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The notes of a setup: tells those that the user has not read yet, and remembers them. */
void live_request_tell_notes(struct live_request *o, const struct setup_notes *notes);

/* What is worth having when nothing was asked for: who ran, when, and what it asked of the kernel. */
int live_request_add_defaults(struct live_request *o, struct errmsg *err);

/* Refuses what cannot be the name of a recording: "-", which elsewhere means standard output. */
int live_request_check_output(const char *path, struct errmsg *err);

/* What of it is for the file and its recorder; who recorded it is sonde. */
int live_request_get_config(const struct live_request *o, const char *path,
			    struct recording_config *ret_config, struct errmsg *err);

#endif
