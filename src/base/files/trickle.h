/* SPDX-License-Identifier: GPL-2.0-or-later */
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
	bool is_ours; /* opened here, non-blocking */
	bool is_socket;
	size_t max_bytes; /* of one write; up to that it is all or nothing (a pipe), or 0 */
};

/* fd still belongs to the caller, and stays open. */
void trickle_init(struct trickle *t, int fd);
void trickle_release(struct trickle *t);

/*
 * A piece of up to this length is written as a whole or not at all, so a line is not split. 0: not
 * possible here.
 */
size_t trickle_whole_bytes(const struct trickle *t);

/*
 * Returns the bytes written, less than len if until_ns (CLOCK_MONOTONIC) has passed; or -EPIPE,
 * -EIO …
 */
ssize_t trickle_write(struct trickle *t, const char *s, size_t len, uint64_t until_ns);

#endif
