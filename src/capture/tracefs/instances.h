/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - which parts of the tracing directory are meant: the top level, some instances, or all.
 *
 *	nothing      the top level
 *	names        these instances
 *	all          all instances
 *	top          with one of them: the top level, too
 */
#ifndef SONDE_CAPTURE_TRACEFS_INSTANCES_H
#define SONDE_CAPTURE_TRACEFS_INSTANCES_H

#include "capture/tracefs/tracefs.h"

struct instance_args {
	struct name_list names;
	bool all, top;
};

/* The names of those that are meant, "" for the top level, which comes first. */
int instances_take(const struct tracefs *t, const struct instance_args *args,
		   struct name_list *ret_list, struct errmsg *err);

/* Does it to each of them. */
int instances_act(const struct instance_args *args,
		  int (*act)(const struct tracefs *t, const char *instance, struct errmsg *err),
		  struct errmsg *err);

/* "the top level" or "the instance NAME", in buf; returns buf. */
const char *instances_fmt(const char *instance, char *buf, size_t n_bytes);

#endif
