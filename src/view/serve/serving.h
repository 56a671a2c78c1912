/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serving.h - the life cycle of the viewer's server, from its socket to its last answer.
 *
 *	serving_prepare    listens, forks a child for the browser, becomes the caller
 *	serving_run        sandbox, files, index, answers; returns when wait() does
 *	serving_stop
 *
 * Between the first two the caller may find out whether a file is being recorded. The caller
 * decides what is printed and which signals end the server: it passes functions for these.
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
	bool beside, no_cache; /* store the index next to the first file; do not store it */
	bool no_browser, no_sandbox;
	/* Reports a message to the user. */
	void (*note)(void *ctx, const char *sentence);
	/* The files are open, which may have taken long: catch signals from now on. */
	void (*opened)(void *ctx);
	/* Requests are answered under this address. */
	void (*answers)(void *ctx, const char *address);
	/* Returns when serving should end; calls serving_tick() a few times per second. */
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

/* Does everything that needs more privileges than the caller's; then drops them. */
int serving_prepare(struct serving *s, struct errmsg *err);
/* Only for the remedy in the message: the kernel decides when the files are opened. */
int serving_check_readable(const struct serving *s, struct errmsg *err);
/*
 * Waits for recorders that are just finishing their files. One file: true if it is being recorded,
 * and so grows. Several: reports each file that grows, because new data of it is not shown.
 */
bool serving_await_recorders(struct serving *s);
/* For a growing file: stores no index. */
void serving_drop_cache(struct serving *s);
int serving_run(struct serving *s, struct errmsg *err);
void serving_stop(struct serving *s);

void serving_tick(struct serving *s);
/* Indexes new data of a growing file. 1: all of it is indexed. */
int serving_refresh(struct serving *s, struct errmsg *err);
/* The file no longer grows. */
void serving_end_live(struct serving *s);
bool serving_follows(const struct serving *s);
/* Adds to the damage that the page shows. */
void serving_add_damage(struct serving *s, const char *sentence);
#endif
