/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - collects the processes of the machine during a recording: their threads, command
 * lines, and which belong to sonde.
 *
 *	census_open      collects existing processes; from now on the kernel notes each exec (needs
 *	                 root)
 *	census_add_own   adds our threads, when all of them run
 *	census_finish    collects the processes at the end, and those that ended before
 *	census_close
 *
 * Only one thread may use it at a time.
 */
#ifndef SONDE_CAPTURE_KERNEL_CENSUS_H
#define SONDE_CAPTURE_KERNEL_CENSUS_H

#include "capture/tracefs/tracefs.h"

#include <stdbool.h>
#include <stdint.h>

struct census;
struct plan;
struct processes;

struct census_config {
	const struct tracefs *t;
	const struct plan *plan;
	int guardian;	   /* pid of the guardian; 0: none */
	int command;	   /* pid of the process that will run the command; 0: none */
	char *const *argv; /* the command; NULL: none */
	bool is_live;	   /* a recording starts now, and census_finish() follows */
};

/* Starts to collect. Returns NULL if out of memory. Information that cannot be read is missing. */
struct census *census_open(const struct census_config *config);
/* Returns the capabilities (bits of CAP_…) that census_finish() needs. */
uint64_t census_powers(const struct census *c);
void census_add_own(struct census *c);
void census_finish(struct census *c, const struct tracefs *t);
/* c may be NULL. */
void census_close(struct census *c);

/* Returns the processes, which belong to the census. c may be NULL. */
const struct processes *census_processes(const struct census *c);

#endif
