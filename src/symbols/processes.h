/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * processes.h - the process of each thread, and the command line of each process.
 *
 *	processes_add_thread, _add_command, _add_self    during the recording
 *	processes_fmt                                    writes all of it as a text for the trace
 *	                                                 file
 *	processes_parse                                  reads that text
 *	processes_find_tgid, _fmt_command, _is_self      look-ups
 *
 * Later information replaces earlier information about the same pid: if a pid was reused, the last
 * process is known. One thread adds; look-ups may run in any thread when nothing is added any more.
 * For look-ups p may be NULL, which means that nothing is known.
 */
#ifndef SONDE_SYMBOLS_PROCESSES_H
#define SONDE_SYMBOLS_PROCESSES_H

#include "format/bytes.h"

#include <stdbool.h>
#include <stddef.h>

struct processes;
struct textbuf;

#define PROCESSES_COMMAND_MAX 4096	  /* bytes of a command line; longer ones are truncated */
#define PROCESSES_MAX_BYTES   (16u << 20) /* limit of the text in a trace file */

struct processes *processes_new(void);
void processes_free(struct processes *p);

/*
 * Adds a thread. The process tgid itself is a thread, too. Returns 0 or -ENOMEM, also at the limit
 * of 262 144 threads.
 */
int processes_add_thread(struct processes *p, int tid, int tgid);
/*
 * Adds a command line: n_bytes of words, each ended by a NUL, as in /proc/PID/cmdline. is_cut: the
 * command line is longer.
 */
int processes_add_command(struct processes *p, int tgid, const char *words, size_t n_bytes,
			  bool is_cut);
/* Adds a process of sonde itself. */
int processes_add_self(struct processes *p, int tgid);

/* Returns -1 if the process is unknown. */
int processes_find_tgid(const struct processes *p, int tid);
/* Returns true for a thread of sonde itself. */
bool processes_is_self(const struct processes *p, int tid);
/*
 * Writes the command line of a process, or of a thread's process, quoted for a shell, followed by
 * "…" if it was truncated. Returns false if it is unknown.
 */
bool processes_fmt_command(const struct processes *p, int tid, struct textbuf *tb);
/* Visits every process, sorted by pid, until visit returns a negative value. */
int processes_each(const struct processes *p, int (*visit)(void *ctx, int tgid), void *ctx);
/* Returns true if any thread belongs to sonde itself. */
bool processes_has_self(const struct processes *p);

/* Reads the text. Ignores lines of another form. Returns 0 or -ENOMEM. */
int processes_parse(struct processes *p, struct piece text);
void processes_fmt(const struct processes *p, struct textbuf *tb);

#endif
