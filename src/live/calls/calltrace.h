/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltrace.h - prints system calls while they happen.
 *
 *	calltrace_new ─▶ calltrace_follow ─▶ calltrace_free
 */
#ifndef SONDE_LIVE_CALLS_CALLTRACE_H
#define SONDE_LIVE_CALLS_CALLTRACE_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "live/run.h"
#include "present/syscalls/calllines.h"

struct calltrace;

/* lines and fd belong to the caller. */
int calltrace_new(struct calltrace **ret, struct liverun *run, const struct calllines_spec *lines,
		  int fd, struct errmsg *err);
void calltrace_free(struct calltrace *t);
SCOPED_POINTER(struct calltrace, calltrace_free)
/* Prints to the end of the run. -EPIPE: nobody reads any more. */
int calltrace_follow(struct calltrace *t, struct errmsg *err);

#endif
