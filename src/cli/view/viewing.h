/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * viewing.h - a viewer that runs until a signal ends it, and follows a growing file.
 *
 *	viewing_prepare ─▶ viewing_run ─▶ viewing_close
 *
 * It joins the server (view/serve/serving.h) with the recording that the server shows
 * (live/growing.h). A process has one viewing, because signals belong to the process.
 */
#ifndef SONDE_CLI_VIEW_VIEWING_H
#define SONDE_CLI_VIEW_VIEWING_H

#include "base/errmsg.h"
#include "live/growing.h"
#include "view/serve/serving.h"
#include "view/serve/token.h"

#include <signal.h>

struct viewing {
	struct serving serving;
	struct serving_config config;
	char token[TOKEN_BYTES]; /* empty: a random one */
	struct growing live;	 /* path NULL: no file grows */
	unsigned n_failed;
	sigset_t ends;
};

#define VIEWING_NONE                                           \
	{                                                      \
		.serving = SERVING_NONE, .live = GROWING_NONE, \
	}

/* Prepares the server. From now on, it survives a file that gets shorter. */
int viewing_prepare(struct viewing *v, struct errmsg *err);
/* Serves until a signal ends it. Follows v->live if it has a path. */
int viewing_run(struct viewing *v, struct errmsg *err);
/* Stops the server, then the recording. Returns the recorder's exit status, or 0. */
int viewing_close(struct viewing *v);

/* For serving_config: opened and wait; ctx is the viewing. */
void viewing_opened(void *ctx);
void viewing_wait(void *ctx);

#endif
