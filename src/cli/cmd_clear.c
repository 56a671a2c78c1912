// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_clear.c - `sonde clear`: empties the kernel's buffers and leaves everything else as it is.
 *
 * What is being traced goes on being traced; only what has been written so far is gone. Here -a means
 * everything, the top level included, as it does for trace-cmd clear.
 */
#include "base/options.h"
#include "cli/kernel/instances.h"

static int apply_everything(void *opts, const char *value, struct errmsg *err)
{
	instances_apply_all(opts, value, err);
	return instances_apply_top(opts, value, err);
}

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	{OPTION_CALL, 'a', "all", NULL, "clear the top level and all instances",
	 .apply = apply_everything},
	{OPTION_END},
};

/* Opening the file to be written anew empties the buffer; nothing needs to be written. */
static int empty(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "trace", "", TRACEFS_SET, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	return instances_run(cmd, argc, argv, empty, err);
}

const struct command cmd_clear = {
	.name = "clear",
	.summary = "empty the kernel's buffers",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
