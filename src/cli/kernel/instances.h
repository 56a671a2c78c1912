/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instances.h - the options -B NAME, -a and -t, which select instances for several commands.
 *
 *	none          the top level
 *	-B NAME …     these instances
 *	-a            all instances
 *	-t            with one of them: the top level, too
 *
 * A command with these options has a `struct instance_args` as the first member of its options, and
 * uses the rows below.
 */
#ifndef SONDE_CLI_KERNEL_INSTANCES_H
#define SONDE_CLI_KERNEL_INSTANCES_H

#include "base/errmsg.h"
#include "capture/tracefs/instances.h"
#include "cli/command.h"

int instances_apply_name(void *opts, const char *value, struct errmsg *err);
int instances_apply_all(void *opts, const char *value, struct errmsg *err);
int instances_apply_top(void *opts, const char *value, struct errmsg *err);

#define INSTANCES_ROW_NAME                  \
	ROW_CALL('B', "buffer", "INSTANCE", \
		 "use this instance instead of the top level; repeatable", instances_apply_name)
#define INSTANCES_ROW_ALL \
	ROW_CALL('a', "all", NULL, "use all instances, but not the top level", instances_apply_all)
#define INSTANCES_ROW_TOP \
	ROW_CALL('t', "top", NULL, "with -B or -a: also use the top level", instances_apply_top)

/* Refuses arguments: returns -EINVAL with a message if there are any. */
int instances_refuse_words(const struct command *cmd, int n, char **argv, struct errmsg *err);

/* A whole command: parses a struct instance_args and writes the text into this file of each. */
int instances_run(const struct command *cmd, int argc, char **argv, const char *file,
		  const char *text, struct errmsg *err);

#endif
