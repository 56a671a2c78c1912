/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spaces.h - what code each process has at which addresses, while records arrive in the order of
 * time.
 *
 *	spaces_read_proc     a process that runs already: /proc/PID/maps
 *	spaces_map           it maps code
 *	spaces_fork          a new process has the mappings of its parent
 *	spaces_exec          it starts another program: its mappings end
 *	spaces_exit          it has ended
 *	spaces_find          the place of an address
 *
 * One thread uses it.
 */
#ifndef SONDE_CAPTURE_PERF_SPACES_H
#define SONDE_CAPTURE_PERF_SPACES_H

#include "capture/perf/perfrecord.h"

#include <stdbool.h>
#include <stdint.h>

struct codefile;
struct codefiles;
struct spaces;

/* NULL: out of memory. */
struct spaces *spaces_new(struct codefiles *files);
void spaces_free(struct spaces *s);

void spaces_read_proc(struct spaces *s, int pid);
void spaces_map(struct spaces *s, const struct perfrecord_map *m);
void spaces_fork(struct spaces *s, int pid, int parent);
void spaces_exec(struct spaces *s, int pid);
void spaces_exit(struct spaces *s, int pid);

/* Where an address of a process is. */
struct spaces_place {
	struct codefile *file; /* open; NULL: unknown */
	uint64_t address;      /* in the file; of memory: of the process */
	uint64_t place;	       /* sampleevents_place(); 0: unknown */
	/* of a plan's file (capture/calls): the file, and where in it; 0: it is another one */
	uint64_t inode, offset;
};
void spaces_find(struct spaces *s, int pid, uint64_t address, struct spaces_place *ret);
/* The place of all code that sonde has put into programs; 0: there are too many files. */
uint64_t spaces_hooks(struct spaces *s);

#endif
