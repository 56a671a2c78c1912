/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * census.h - the processes of the machine while it is recorded: their threads, command lines, and which are sonde's own.
 *
 *	census_open      who is there now; what is executed from now on is kept by the kernel (needs root's powers)
 *	census_add_own   our threads, once all of them run
 *	census_finish    who is there in the end, and who was there meanwhile
 *	census_close
 *
 * One thread at a time.
 */
#ifndef SONDE_CAPTURE_KERNEL_CENSUS_H
#define SONDE_CAPTURE_KERNEL_CENSUS_H

#include "capture/tracefs/tracefs.h"

#include <stdbool.h>
#include <stdint.h>

struct census;
struct plan;
struct processes;
struct textbuf;

struct census_config {
	const struct tracefs *t;
	const struct plan *plan;
	int guardian;	   /* its number, 0: none */
	int command;	   /* the process that will run it, 0: none */
	char *const *argv; /* the command; NULL: none */
	bool is_live;	   /* something is recorded from now on, and census_finish() will come */
};

/* NULL without memory. What cannot be known is missing from it. */
struct census *census_open(const struct census_config *config);
/* The powers (bits of CAP_…) that census_finish() needs. */
uint64_t census_powers(const struct census *c);
void census_add_own(struct census *c);
void census_finish(struct census *c, const struct tracefs *t);
/* c may be NULL. */
void census_close(struct census *c);

/* Stays the census's. c may be NULL. */
const struct processes *census_processes(const struct census *c);

#endif
