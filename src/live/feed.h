/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * feed.h - every event of the running machine goes into one result, which is shown at the end or again and again.
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

/* Called in the order open, events, add and show again and again, close. All stay the caller's. */
struct feed_job {
	struct live_request *request;
	struct pace *pace;
	void *ctx;
	int (*open)(void *ctx, struct formats *f, struct setup *setup, struct errmsg *err);
	/* By event id: those that matter. */
	const uint8_t *(*events)(void *ctx, size_t *ret_n);
	void (*add)(void *ctx, const struct record *rec);
	/*
	 * in_time: times are in ns. is_last: the machine is as it was again. -EPIPE without a sentence: nobody looks at it
	 * any more.
	 */
	int (*show)(void *ctx, bool in_time, bool is_last, struct errmsg *err);
	/* Also if open failed, or was not called. */
	void (*close)(void *ctx);
};

/* argv: the command or NULL. */
int livefeed_run(const struct feed_job *job, char **argv, struct errmsg *err);

#endif
