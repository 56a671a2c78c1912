/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mappings.h - collects the memory mappings of programs' code during a recording.
 *
 *	mappings_open     the kernel notes new mappings from now on      (needs root)
 *	mappings_start    starts a thread that reads the notes
 *	mappings_stop     ends the thread; then all mappings are known
 *	mappings_close
 *
 * It keeps all code mappings of programs that have mapped one of the given files, of the given
 * programs, and of their children. A recording opens it only if it records addresses of code in
 * programs.
 */
#ifndef SONDE_CAPTURE_KERNEL_MAPPINGS_H
#define SONDE_CAPTURE_KERNEL_MAPPINGS_H

#include "base/scope.h"
#include "symbols/programs.h"

#include <stdbool.h>
#include <stddef.h>

struct errmsg;
struct mappings;

/* Opens the collection. paths are the files, which must exist. Returns 0, -EPERM, -ENOMEM … */
int mappings_open(struct mappings **ret_mappings, const char *const *paths, size_t n_paths,
		  struct errmsg *err);
/*
 * Adds a program: its mappings and those of its children are kept, whatever it executes. Call it
 * before mappings_start(). is_ours: pid is a fork of our process, which will execute the program.
 */
void mappings_add_program(struct mappings *m, int pid, bool is_ours);
/*
 * Watches other programs, too: the trace also contains their addresses, which must not get names of
 * these programs.
 */
void mappings_watch_others(struct mappings *m);
int mappings_start(struct mappings *m);
/*
 * Waits until all mappings up to now are known. It is for a trace that is viewed during the
 * recording.
 */
void mappings_catch_up(struct mappings *m);
void mappings_stop(struct mappings *m);
/* m may be NULL. */
void mappings_close(struct mappings *m);
SCOPED_POINTER(struct mappings, mappings_close)

/* Returns the programs, which belong to m until mappings_close(). */
struct programs *mappings_programs(struct mappings *m);

#endif
