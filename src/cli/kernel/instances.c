// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instances.c - the options that say which parts of the tracing directory a command is about, and commands
 * that do one thing to each of them. capture/tracefs/instances.h finds the parts and goes through them. A
 * command with these options begins its own with a struct instance_args, which the rows fill.
 */
#include "cli/kernel/instances.h"

#include "base/errmsg.h"

#include <errno.h>
#include <stdio.h>

int instances_apply_name(void *opts, const char *value, struct errmsg *err)
{
	struct instance_args *args = opts;

	return name_list_add(&args->names, value, strlen(value));
}

int instances_apply_all(void *opts, const char *value, struct errmsg *err)
{
	struct instance_args *args = opts;

	args->all = true;
	return 0;
}

int instances_apply_top(void *opts, const char *value, struct errmsg *err)
{
	struct instance_args *args = opts;

	args->top = true;
	return 0;
}

int instances_refuse_words(const struct command *cmd, int n, char **argv, struct errmsg *err)
{
	return n ? errmsg_set(err, -EINVAL, "%s takes no argument, but there is '%s'", cmd->name,
			      argv[1])
		 : 0;
}

int instances_run(const struct command *cmd, int argc, char **argv,
		  int (*act)(const struct tracefs *t, const char *instance, struct errmsg *err),
		  struct errmsg *err)
{
	struct instance_args args = {0};
	int r = command_parse(cmd, &args, argc, argv, err);

	if (r >= 0)
		r = instances_refuse_words(cmd, r, argv, err);
	if (r >= 0)
		r = instances_act(&args, act, err);
	name_list_release(&args.names);
	return r;
}
