/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - the options -B NAME, -a and -t, which several commands share: which parts of the tracing
 * directory a command is about.
 *
 *	none          the top level
 *	-B NAME …     these instances
 *	-a            all instances
 *	-t            with one of them: the top level, too
 *
 * A command that has them begins its options with a `struct instance_args` and takes rows from below.
 */
#ifndef SONDE_CLI_KERNEL_INSTANCES_H
#define SONDE_CLI_KERNEL_INSTANCES_H

#include "base/errmsg.h"
#include "capture/tracefs/instances.h"
#include "cli/command.h"

int instances_apply_name(void *opts, const char *value, struct errmsg *err);
int instances_apply_all(void *opts, const char *value, struct errmsg *err);
int instances_apply_top(void *opts, const char *value, struct errmsg *err);

#define INSTANCES_ROW_NAME                                                        \
	{                                                                         \
		OPTION_CALL, 'B', "buffer", "INSTANCE",                           \
			"use this instance instead of the top level; repeatable", \
			.apply = instances_apply_name                             \
	}
#define INSTANCES_ROW_ALL                                                                  \
	{                                                                                  \
		OPTION_CALL, 'a', "all", NULL, "use all instances, but not the top level", \
			.apply = instances_apply_all                                       \
	}
#define INSTANCES_ROW_TOP                                                               \
	{                                                                               \
		OPTION_CALL, 't', "top", NULL, "with -B or -a: also use the top level", \
			.apply = instances_apply_top                                    \
	}

/* Refuses arguments: -EINVAL with a sentence if there is one. */
int instances_refuse_words(const struct command *cmd, int n, char **argv, struct errmsg *err);

/* A whole command: parses a struct instance_args and does `act` to each instance. */
int instances_run(const struct command *cmd, int argc, char **argv,
		  int (*act)(const struct tracefs *t, const char *instance, struct errmsg *err),
		  struct errmsg *err);

#endif
