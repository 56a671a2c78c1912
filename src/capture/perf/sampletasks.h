/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampletasks.h - names of the threads that were sampled, their processes and command lines.
 *
 * One thread adds; any thread may ask.
 */
#ifndef SONDE_CAPTURE_PERF_SAMPLETASKS_H
#define SONDE_CAPTURE_PERF_SAMPLETASKS_H

#include <stdbool.h>
#include <stddef.h>

struct processes;
struct sampletasks;
struct textbuf;

/* NULL: out of memory. */
struct sampletasks *sampletasks_new(void);
void sampletasks_free(struct sampletasks *t);

/* A thread that runs now: its name and those of its process are read from /proc. */
void sampletasks_read_proc(struct sampletasks *t, int tgid);
/* A sample has this thread: makes sure that it has a name. */
void sampletasks_see(struct sampletasks *t, int tgid, int tid);
void sampletasks_name(struct sampletasks *t, int tgid, int tid, const char *name, bool is_exec);
/* A new thread has the name of the one that made it. */
void sampletasks_fork(struct sampletasks *t, int tgid, int tid, int parent_tid);

/* "PID NAME" lines. */
void sampletasks_fmt(struct sampletasks *t, struct textbuf *tb);
void sampletasks_add_processes(struct sampletasks *t, struct processes *p);

#endif
