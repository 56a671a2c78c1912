/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serving.h - the life cycle of the viewer's server, from its socket to its last answer.
 *
 *	serving_prepare    listens, forks a child for the browser, becomes the caller
 *	serving_run        starts the sandbox, opens and indexes the files, answers; returns when
 *	                   wait() does
 *	serving_stop
 *
 * Between the first two calls, the caller may find out whether a file is being recorded. The caller
 * passes functions that print messages and that wait for signals.
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
	/* beside: store the index next to the first file; no_cache: do not store it */
	bool beside, no_cache;
	bool no_browser, no_sandbox;
	bool align; /* let the files begin at the same time, to compare them */
	/* Reports a message to the user. */
	void (*note)(void *ctx, const char *sentence);
	/*
	 * Called when the files are open, which may have taken long. From now on the caller catches
	 * signals.
	 */
	void (*opened)(void *ctx);
	/* Called when requests are answered under this address. */
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
	bool was_raised; /* we had more rights before we became the caller */
	bool is_lowered; /* we changed from root to the caller */
};

#define SERVING_NONE                   \
	{                              \
		.browser = {.fd = -1 } \
	}

/* Does everything that needs more privileges than the caller's, and then drops them. */
int serving_prepare(struct serving *s, struct errmsg *err);
/*
 * Checks whether the files are readable. This is only for the remedy in the message: the kernel
 * decides when the files are opened.
 */
int serving_check_readable(const struct serving *s, struct errmsg *err);
/*
 * Waits for recorders that are just finishing their files. For one file, returns true if it is
 * being recorded, and so grows. For several, reports each file that grows, because its new data is
 * not shown.
 */
bool serving_await_recorders(struct serving *s);
/* Stores no index, for a growing file. */
void serving_drop_cache(struct serving *s);
int serving_run(struct serving *s, struct errmsg *err);
void serving_stop(struct serving *s);

void serving_tick(struct serving *s);
/* Indexes new data of a growing file. Returns 1 if all of it is indexed. */
int serving_refresh(struct serving *s, struct errmsg *err);
/* Notes that the file no longer grows. */
void serving_end_live(struct serving *s);
bool serving_follows(const struct serving *s);
/* Adds to the damage that the page shows. */
void serving_add_damage(struct serving *s, const char *sentence);
#endif
