/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - selects parts of the tracing directory: the top level, some instances, or all.
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

/* Lists the selected names. "" is the top level, and comes first. */
int instances_take(const struct tracefs *t, const struct instance_args *args,
		   struct name_list *ret_list, struct errmsg *err);

/* Writes the text into this file of each of them. Returns the first failure. */
int instances_write(const struct instance_args *args, const char *file, const char *text,
		    struct errmsg *err);

/* Formats "the top level" or "the instance NAME" into buf; returns buf. */
const char *instances_fmt(const char *instance, char *buf, size_t n_bytes);

#endif
