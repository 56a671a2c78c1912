/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftreceive.h - stores what `uftrace record --host` sends, of several senders at a time.
 *
 * There is no key: anybody who reaches the port can store a recording. Names that lead out of the
 * directory are refused, and so is more than UFT_RECEIVE_MAX_BYTES of one sender.
 */
#ifndef SONDE_WIRE_UFTRACE_UFTRECEIVE_H
#define SONDE_WIRE_UFTRACE_UFTRECEIVE_H

#include <stddef.h>

struct errmsg;

#define UFT_RECEIVE_MAX_BYTES (1ull << 40)

struct uftreceive_config {
	const char *dir; /* exists; directories of recordings are made in it */
	const int *fds;	 /* that listen, non-blocking */
	size_t n_fds;
	int stop; /* readable: end */
	void *ctx;
	/* a recording is complete: path of its directory; may be NULL */
	void (*done)(void *ctx, const char *path);
	/* a sender was cut off, why */
	void (*fail)(void *ctx, const char *sentence);
};

/* Runs until stop is readable. 0, or negative with a message. */
int uftreceive_run(const struct uftreceive_config *config, struct errmsg *err);

#endif
