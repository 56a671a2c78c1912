/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callrun.h - the system calls of opened trace files as lines. */
#ifndef SONDE_PRESENT_SYSCALLS_CALLRUN_H
#define SONDE_PRESENT_SYSCALLS_CALLRUN_H

#include "present/syscalls/calllines.h"

struct batch;
struct errmsg;
struct inputs;

/* A sink for texts. Returns 0, or a negative errno: -EPIPE if nobody reads. */
typedef int callrun_write(void *ctx, const char *text, size_t len);

struct callrun_state; /* of callrun_add() */
struct callrun_state *callrun_new(struct calllines *c, uint32_t machine, bool swap);
void callrun_free(struct callrun_state *s);
/* Adds the calls of records from … of a batch, until tb has max_bytes. Returns the next record. */
size_t callrun_add(struct callrun_state *s, const struct batch *b, size_t from, size_t max_bytes,
		   struct textbuf *tb);

/* Prints the calls of all files. -ENODATA: there are none. */
int callrun(struct inputs *in, const struct calllines_spec *spec, callrun_write *write, void *ctx,
	    struct errmsg *err);

#endif
