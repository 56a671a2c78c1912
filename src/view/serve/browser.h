/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browser.h - starts the user's browser on the viewer's page, without showing the address to other
 * users.
 */
#ifndef SONDE_VIEW_SERVE_BROWSER_H
#define SONDE_VIEW_SERVE_BROWSER_H

#include <sys/types.h>

struct viewbrowser {
	int fd;	   /* pipe to the keeper; -1: none */
	pid_t pid; /* pid of the keeper */
};

/*
 * Prepares the browser, before privileges are dropped. Does nothing without a screen, or for root.
 */
void viewbrowser_prepare(struct viewbrowser *b, const char *address);
/*
 * Starts the browser, when requests are answered. Returns a negative errno if no browser could be
 * started.
 */
int viewbrowser_start(struct viewbrowser *b);
/* Waits until the redirect file is removed. The browser stays open. */
void viewbrowser_end(struct viewbrowser *b);

#endif
