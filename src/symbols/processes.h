/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - which process a thread belongs to, and each process's command line.
 *
 *	processes_add_thread, _add_command, _add_self    while it is recorded
 *	processes_fmt                                    all of it as a text for the trace file
 *	processes_parse                                  the other way round, when the file is read
 *	processes_find_tgid, _fmt_command, _is_self      look-ups
 *
 * What is added later replaces what was known of the same number: of a number that was used again, the last one is known.
 * Adding belongs to one thread; look-ups may be anywhere once nothing is added. Every p may be NULL for look-ups: nothing
 * is known.
 */
#ifndef SONDE_SYMBOLS_PROCESSES_H
#define SONDE_SYMBOLS_PROCESSES_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>

struct processes;
struct textbuf;

#define PROCESSES_COMMAND_MAX 4096	  /* bytes of a command line; the rest is cut off */
#define PROCESSES_MAX_BYTES   (16u << 20) /* of the text in a trace file */

struct processes *processes_new(void);
void processes_free(struct processes *p);

/* The process tgid itself is a thread, too. 0 or -ENOMEM, also at the ceiling: 262 144 threads. */
int processes_add_thread(struct processes *p, int tid, int tgid);
/* words: n_bytes, a NUL behind each, as /proc/PID/cmdline has them. is_cut: there are more. */
int processes_add_command(struct processes *p, int tgid, const char *words, size_t n_bytes,
			  bool is_cut);
/* A process of sonde's own. */
int processes_add_self(struct processes *p, int tgid);

/* -1: not known. */
int processes_find_tgid(const struct processes *p, int tid);
/* A thread of sonde's own. */
bool processes_is_self(const struct processes *p, int tid);
/*
 * The command line of a process (of a thread: its process's), with words quoted as a shell needs it, and "…" behind it if it
 * was cut off. False if it is not known.
 */
bool processes_fmt_command(const struct processes *p, int tid, struct textbuf *tb);
/* Every process, in the order of their numbers; until visit is negative. */
int processes_each(const struct processes *p, int (*visit)(void *ctx, int tgid), void *ctx);
/* Some thread is sonde's own. */
bool processes_has_self(const struct processes *p);

/* What is not of the form is left out. 0 or -ENOMEM. */
int processes_parse(struct processes *p, struct piece text);
void processes_fmt(const struct processes *p, struct textbuf *tb);

#endif
