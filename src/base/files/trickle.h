/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trickle.h - writing to somebody who may be slow, without being held up by it.
 *
 * A write to a pipe, terminal or socket waits for as long as nobody reads. trickle_write() waits no
 * longer than it is told, whatever it writes to. The descriptor's own flags are left alone: they are
 * shared with whoever else has it, the shell for instance. One thread.
 */
#ifndef SONDE_BASE_FILES_TRICKLE_H
#define SONDE_BASE_FILES_TRICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct trickle {
	int fd;
	bool is_ours; /* opened here, without waiting */
	bool is_socket;
	size_t max_bytes; /* of one write; up to that it is all or nothing (a pipe), or 0 */
};

/* fd stays the caller's, and open. */
void trickle_init(struct trickle *t, int fd);
void trickle_release(struct trickle *t);

/*
 * A piece up to this long is written as a whole or not at all, so a line is not cut in two. 0: there is no
 * such thing here.
 */
size_t trickle_whole_bytes(const struct trickle *t);

/* Bytes written, less than len when until_ns (CLOCK_MONOTONIC) has come; or -EPIPE, -EIO … */
ssize_t trickle_write(struct trickle *t, const char *s, size_t len, uint64_t until_ns);

#endif
