/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * trickle.h - writes to a possibly slow reader, without blocking for long.
 *
 * A write to a pipe, terminal or socket waits while nobody reads. trickle_write() waits no longer
 * than the given time, whatever it writes to. The descriptor's own flags are not changed: it is
 * shared with other programs, for instance the shell. One thread.
 */
#ifndef SONDE_BASE_FILES_TRICKLE_H
#define SONDE_BASE_FILES_TRICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trickle {
	int fd;
	bool is_ours; /* the descriptor was opened here, non-blocking */
	bool is_socket;
	/* maximum of one write that is done as a whole or not at all (pipes); 0: no such maximum */
	size_t max_bytes;
};

/* fd still belongs to the caller, and stays open. */
void trickle_init(struct trickle *t, int fd);
void trickle_release(struct trickle *t);

/*
 * Returns the length up to which a piece is written as a whole or not at all, so that a line is not
 * split. Returns 0 if that is not possible here.
 */
size_t trickle_whole_bytes(const struct trickle *t);

/*
 * Returns the bytes written, less than len if until_ns (CLOCK_MONOTONIC) has passed; or -EPIPE,
 * -EIO …
 */
ssize_t trickle_write(struct trickle *t, const char *s, size_t len, uint64_t until_ns);

#endif
