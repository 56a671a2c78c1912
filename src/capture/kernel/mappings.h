/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h - where programs have their code in memory while they are recorded.
 *
 *	mappings_open     the kernel notes from now on what is mapped      (needs root's powers)
 *	mappings_start    a thread takes it from it
 *	mappings_stop     everything that was mapped is known; the thread has ended
 *	mappings_close
 *
 * Only of programs that have mapped one of the files that it is about, or that it was given, with their children: all their
 * code. A recording opens it if it records addresses of code in programs, and for nothing else.
 */
#ifndef SONDE_CAPTURE_KERNEL_MAPPINGS_H
#define SONDE_CAPTURE_KERNEL_MAPPINGS_H

#include "symbols/programs.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;
struct mappings;

/* paths: the files it is about, which are there. -EPERM, -ENOMEM … */
int mappings_open(struct mappings **ret_mappings, const char *const *paths, size_t n_paths,
		  struct errmsg *err);
/*
 * A program whose mappings are wanted whatever it executes, and its children's. Before mappings_start(). is_ours: a fork of
 * ourselves, which will execute the program.
 */
void mappings_add_program(struct mappings *m, int pid, bool is_ours);
/* Addresses of other programs are recorded, too: they must not get names of these. */
void mappings_watch_others(struct mappings *m);
int mappings_start(struct mappings *m);
/* What was mapped up to now is known when it returns. For a trace that is looked at meanwhile. */
void mappings_catch_up(struct mappings *m);
void mappings_stop(struct mappings *m);
/* m may be NULL. */
void mappings_close(struct mappings *m);

/* Theirs until mappings_close(). */
struct programs *mappings_programs(struct mappings *m);

#endif
