/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.h - passes every event of the running machine to one result, which is shown at the end or
 * repeatedly.
 */
#ifndef SONDE_LIVE_FEED_H
#define SONDE_LIVE_FEED_H

#include "live/pace.h"
#include "live/request.h"

#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct formats;
struct record;
struct setup;

/*
 * Functions of a job. They are called in the order open, events, add and show repeatedly, close.
 * The caller owns the job.
 */
struct feed_job {
	struct live_request *request;
	struct pace *pace;
	void *ctx;
	int (*open)(void *ctx, struct formats *f, struct setup *setup, struct errmsg *err);
	/* Returns flags of the relevant events, by event id. */
	const uint8_t *(*events)(void *ctx, size_t *ret_n);
	void (*add)(void *ctx, const struct record *rec);
	/*
	 * Shows the result. in_time: times are in ns. is_last: the settings are restored. Returns
	 * -EPIPE without a message if the reader has closed the output.
	 */
	int (*show)(void *ctx, bool in_time, bool is_last, struct errmsg *err);
	/* Also called if open failed, or was not called. */
	void (*close)(void *ctx);
	int *ret_status; /* the command's status from wait(); NULL: not needed */
};

/* Runs a job. argv is the command, or NULL. */
int livefeed_run(const struct feed_job *job, char **argv, struct errmsg *err);

#endif
