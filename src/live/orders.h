/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orders.h - what sonde ctl can ask of a running recording.
 *
 *	orders_open     when the recording runs; a thread answers (capture/record/control.h)
 *	orders_close    before the recording is taken apart
 *
 * A recording whose socket cannot be made runs without it.
 */
#ifndef SONDE_LIVE_ORDERS_H
#define SONDE_LIVE_ORDERS_H

#include <stdint.h>
#include <stdio.h>

struct control;
struct session;
struct usertrace;

struct orders {
	struct control *control;
	struct session *session; /* events of the kernel; NULL: none */
	struct usertrace *user;	 /* functions of programs; NULL: none */
	const char *path;	 /* the file */
	char *const *argv;	 /* the command; NULL: none */
	uint64_t start_ns;
};

/* The fields other than control and start_ns are set. */
void orders_open(struct orders *o);
void orders_close(struct orders *o);

#endif
