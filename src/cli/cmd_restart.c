// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_restart.c - `sonde restart`: tracing_on becomes 1.
 *
 * The other half of `sonde stop`: whatever was set up there and then is recorded again, behind what is
 * in the buffers already. A trigger or a function command that stopped the trace (traceoff) is undone by
 * it, too.
 */
#include "base/options.h"
#include "cli/kernel/instances.h"

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_ALL,
	INSTANCES_ROW_TOP,
	{OPTION_END},
};

static int switch_on(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "tracing_on", "1", TRACEFS_SET, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	return instances_run(cmd, argc, argv, switch_on, err);
}

const struct command cmd_restart = {
	.name = "restart",
	.summary = "resume tracing after stop",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
