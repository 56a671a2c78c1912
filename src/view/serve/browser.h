/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * browser.h - starts the user's browser on the viewer's page, without showing the address to others.
 */
#ifndef SONDE_VIEW_SERVE_BROWSER_H
#define SONDE_VIEW_SERVE_BROWSER_H

#include <sys/types.h>

struct viewbrowser {
	int fd;	   /* to the keeper; -1: there is none */
	pid_t pid; /* of the keeper */
};

/* Before rights are dropped. Does nothing where there is no screen, or for root. */
void viewbrowser_prepare(struct viewbrowser *b, const char *address);
/* When requests are answered. Negative: no browser could be started. */
int viewbrowser_start(struct viewbrowser *b);
/* Waits until the redirect file is gone. The browser stays. */
void viewbrowser_end(struct viewbrowser *b);

#endif
