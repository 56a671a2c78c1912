// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_clear.c - `sonde clear`: empties the kernel's buffers, and changes nothing else.
 *
 * Tracing continues; only the events so far are removed. Here -a means everything, the top level
 * included, as it does for trace-cmd clear.
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
	ROW_CALL('a', "all", NULL, "clear the top level and all instances", apply_everything),
	ROW_END,
};

/* Empties the buffer by opening the file with O_TRUNC; nothing needs to be written. */
static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	return instances_run(cmd, argc, argv, "trace", "", err);
}

const struct command cmd_clear = {
	.name = "clear",
	.summary = "empty the kernel's buffers",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
