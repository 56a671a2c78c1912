/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * toprun.h - samples the machine and shows a table again and again, until a signal or the last
 * picture.
 */
#ifndef SONDE_LIVE_TOP_TOPRUN_H
#define SONDE_LIVE_TOP_TOPRUN_H

#include "capture/perf/samplechoice.h"
#include "live/top/toptable.h"

struct errmsg;

struct toppicture {
	const struct toprows *rows;
	const struct toptable_config *config;
	const char *event;   /* name */
	size_t n_events;     /* in all: pictures of others follow */
	uint64_t rate;	     /* samples a second that were asked for; 0: by period */
	double n_a_second;   /* samples since the last picture */
	double kernel_share; /* of them, percent */
	uint64_t n_lost, n_dropped;
	bool is_only_user, is_clock;
};

struct toprun {
	struct samplechoice *samples;
	struct toptable_config table;
	long delay_ms;
	long n_pictures; /* 0: until a signal */
	bool zeroes;	 /* each picture is of its own interval only */
	/* Shows a picture. Returns 1 to end, 0, or a negative errno. */
	int (*show)(void *ctx, const struct toppicture *p);
	/* Called when input_fd is readable; may be NULL. Returns as show(). */
	int (*input)(void *ctx);
	int input_fd; /* -1: none */
	void *ctx;
};

int toprun(struct toprun *t, struct errmsg *err);

#endif
