/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

/* Counts a failure. code is an errno; only ENOMEM, EMFILE, ENFILE and EIO count. Keeps errno. */
void shortage_note(int code);

/*
 * Returns the number of failures so far. If it does not change during some work, nothing was
 * refused.
 */
unsigned shortage_count(void);

/* Like shortage_count(), but counts only the failures of this thread. */
unsigned shortage_count_here(void);

/*
 * Marks the first `count` failures as reported to the user: they need not affect the exit status.
 */
void shortage_settle(unsigned count);

/* Returns the errno of the last failure if any is not settled, else 0. */
int shortage_pending(void);

/*
 * Checks for failures before a result becomes final. If any failure is not settled, returns a
 * negative errno and a message such as "cannot write FILE"; else returns 0.
 */
int shortage_check(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Returns true if this much memory is available now, and counts a failure if it is not. Some
 * libraries crash without memory: the C library's regcomp() (2.36), libdw (0.188). They are not
 * called then.
 */
bool shortage_has_room(size_t n_bytes);

#endif
