/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shortage.h - counts what the system refused us: memory and file descriptors.
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

/* code is an errno; only ENOMEM, EMFILE and ENFILE count. errno stays as it is. */
void shortage_note(int code);

/* How many there were so far. If it is the same after some work as before, nothing was refused. */
unsigned shortage_count(void);

/* The user has been told about n failures, so they need not end up in the exit status. */
void shortage_settle(unsigned n);

/* The errno of the last failure if any is not settled, else 0. */
int shortage_pending(void);

#endif
