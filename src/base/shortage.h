/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortage.h - counts what the system refused us: memory, file descriptors, bytes of a file.
 *
 * Every failed allocation must reach the exit status, also where the code around it can go on. So the
 * calls that allocate are counted when they fail (shortage_wrap.c says how, and which), and main()
 * does not report success if any failure is left that nobody told the user about. A function still
 * returns -ENOMEM as it should: the count is the net below, not a replacement.
 *
 * The counters are the one state of the process outside cli that is not constant: an allocator has no
 * place to keep them. All functions may be called from any thread, and allocate nothing.
 */
#ifndef SONDE_BASE_SHORTAGE_H
#define SONDE_BASE_SHORTAGE_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;

/* code is an errno; only ENOMEM, EMFILE, ENFILE and EIO count. errno stays as it is. */
void shortage_note(int code);

/* How many there were so far. If it is the same after some work as before, nothing was refused. */
unsigned shortage_count(void);

/* The same, of this thread only: for work that is done by one thread while others do theirs. */
unsigned shortage_count_here(void);

/* The user has been told about the first so many failures: they need not end up in the exit status. */
void shortage_settle(unsigned count);

/* The errno of the last failure if any is not settled, else 0. */
int shortage_pending(void);

/*
 * Before what was made becomes final: 0, or a negative errno and a sentence about what cannot be done,
 * such as "cannot write FILE", if any failure is not settled.
 */
int shortage_check(struct errmsg *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Can so much memory be had now? For libraries that crash without: the C library's regcomp() (2.36),
 * libdw (0.188). They are not called then. A failure is counted.
 */
bool shortage_has_room(size_t n_bytes);

#endif
