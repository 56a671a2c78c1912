/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortage.h - counts what the system refused: memory, file descriptors, bytes of a file.
 *
 * Every failed allocation must reach the exit status, even if the code around it can continue. So
 * failed allocation calls are counted (shortage_wrap.c says how, and which), and main() does not
 * report success if there was a failure that was not reported to the user. A function still returns
 * -ENOMEM as it should: the count is a safety net, not a replacement.
 *
 * The counters are the only state of the process outside cli that is not constant: an allocator has
 * no other place for them. All functions are thread-safe, and allocate nothing.
 */
#ifndef SONDE_BASE_SHORTAGE_H
#define SONDE_BASE_SHORTAGE_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

/* code is an errno; only ENOMEM, EMFILE, ENFILE and EIO count. Keeps errno. */
void shortage_note(int code);

/* The number of failures so far. If it does not change during some work, nothing was refused. */
unsigned shortage_count(void);

/* The same for this thread only: for work of one thread among others. */
unsigned shortage_count_here(void);

/* The first `count` failures were reported to the user: they need not affect the exit status. */
void shortage_settle(unsigned count);

/* The errno of the last failure if any is not settled, else 0. */
int shortage_pending(void);

/*
 * Call it before a result becomes final: returns 0, or a negative errno and a message such as
 * "cannot write FILE", if any failure is not settled.
 */
int shortage_check(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Is this much memory available now? For libraries that crash without it: the C library's regcomp()
 * (2.36), libdw (0.188). They are not called then. A failure is counted.
 */
bool shortage_has_room(size_t n_bytes);

#endif
