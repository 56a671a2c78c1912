/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serving.h - the life of the viewer's server, from its socket to its last answer.
 *
 *	serving_prepare    listens, keeps a child for the browser, becomes the caller
 *	serving_run        sandbox, files, index, answers; returns when wait() does
 *	serving_stop
 *
 * Between the first two the caller may find out whether a file is being recorded. What is printed and which
 * signals end it is the caller's business: it gives functions for these.
 */
#ifndef SONDE_VIEW_SERVE_SERVING_H
#define SONDE_VIEW_SERVE_SERVING_H

#include "view/serve/browser.h"
#include "view/trace.h"

struct errmsg;
struct httpd;

struct serving_config {
	long long port;	       /* 0: any */
	const char *token;     /* "": a random one */
	const char *cache_dir; /* NULL: the user's cache */
	bool beside, no_cache; /* the index goes next to the first file; nowhere */
	bool no_browser, no_sandbox;
	/* A sentence for the user. */
	void (*note)(void *ctx, const char *sentence);
	/* The files are open, which may have taken long: signals are to be caught from now on. */
	void (*opened)(void *ctx);
	/* Requests are answered under this address. */
	void (*answers)(void *ctx, const char *address);
	/* Returns when the serving shall end; calls serving_tick() a few times a second. */
	void (*wait)(void *ctx);
	void *ctx;
};

struct serving {
	const struct serving_config *config;
	const char *const *paths;
	size_t n;
	bool is_live; /* the file grows */
	struct viewtrace vt;
	struct httpd *hd;
	char *cache;
	struct viewbrowser browser;
	bool was_raised; /* before we became the caller */
	bool is_lowered; /* from root to the caller */
};

#define SERVING_NONE                   \
	{                              \
		.browser = {.fd = -1 } \
	}

/* What needs more rights than the caller's; afterwards we have no others. */
int serving_prepare(struct serving *s, struct errmsg *err);
/* Only for the remedy in the message: the kernel decides when the files are opened. */
int serving_check_readable(const struct serving *s, struct errmsg *err);
/*
 * Waits for recorders that finish their files just now. One file: true if it is being recorded, and so grows.
 * Several: a note for each that grows, since what comes is not shown.
 */
bool serving_await_recorders(struct serving *s);
/* No index is kept of what grows. */
void serving_drop_cache(struct serving *s);
int serving_run(struct serving *s, struct errmsg *err);
void serving_stop(struct serving *s);

void serving_tick(struct serving *s);
/* Indexes what has come to a file that grows. 1: all of it is indexed. */
int serving_refresh(struct serving *s, struct errmsg *err);
/* The file will not grow any more. */
void serving_end_live(struct serving *s);
bool serving_follows(const struct serving *s);
/* Adds to the damage that the page shows. */
void serving_add_damage(struct serving *s, const char *sentence);
#endif
