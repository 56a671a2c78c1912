// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instances.c - the options that select instances, and commands that do one thing to each instance.
 * capture/tracefs/instances.h finds and visits the instances. The first member of such a command's
 * options is a struct instance_args, which the rows fill.
 */
#include "cli/kernel/instances.h"

#include "base/errmsg.h"
#include "base/scope.h"

#include <errno.h>

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

static void args_release(struct instance_args *args)
{
	name_list_release(&args->names);
}

int instances_run(const struct command *cmd, int argc, char **argv, const char *file,
		  const char *text, struct errmsg *err)
{
	SCOPED(args_release) struct instance_args args = {0};
	int n = command_parse(cmd, &args, argc, argv, err);

	TRY(n);
	TRY(instances_refuse_words(cmd, n, argv, err));
	return instances_write(&args, file, text, err);
}
