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
 * "sched:sched_switch", "sched/sched_switch" or "sched_switch". -ENOENT with a sentence that names
 * the nearest event; -EINVAL if several systems have an event of that name.
 */
int eventdir_find(const struct tracefs *t, const char *instance, const char *text,
		  struct event_name *ret_name, struct errmsg *err);

/* "events/SYSTEM/EVENT/FILE" in buf of TRACEFS_PATH_MAX bytes; returns buf. */
char *eventdir_fmt_path(const char *system, const char *event, const char *file, char *buf);

#endif
