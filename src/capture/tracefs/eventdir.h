/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventdir.h - the events of the running kernel, as the tracing directory shows them:
 * events/SYSTEM/EVENT.
 *
 * Nothing is cached: every call reads the directory again. Names belong to the caller's buffers.
 */
#ifndef SONDE_CAPTURE_TRACEFS_EVENTDIR_H
#define SONDE_CAPTURE_TRACEFS_EVENTDIR_H

#include "capture/tracefs/tracefs.h"

struct event_name {
	char system[TRACEFS_NAME_MAX], event[TRACEFS_NAME_MAX];
};

/*
 * Calls visit for every event, sorted, until visit returns a value other than 0; returns that
 * value.
 */
int eventdir_each(const struct tracefs *t, const char *instance,
		  int (*visit)(void *ctx, const char *system, const char *event), void *ctx,
		  struct errmsg *err);

/*
 * Finds the event that text names: "sched:sched_switch", "sched/sched_switch" or "sched_switch".
 * Returns -ENOENT with a message that names the nearest event, or -EINVAL if several systems have
 * an event of that name.
 */
int eventdir_find(const struct tracefs *t, const char *instance, const char *text,
		  struct event_name *ret_name, struct errmsg *err);

/* Formats "events/SYSTEM/EVENT/FILE" into buf of TRACEFS_PATH_MAX bytes; returns buf. */
char *eventdir_fmt_path(const char *system, const char *event, const char *file, char *buf);

#endif
