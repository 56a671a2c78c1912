// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_restart.c - `sonde restart`: sets tracing_on to 1.
 *
 * It is the opposite of `sonde stop`: the kernel records with the existing settings again, after
 * the events that are already in the buffers. This also resumes a trace that a trigger or a
 * function command (traceoff) has stopped.
 */
#include "base/options.h"
#include "cli/kernel/instances.h"

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_ALL,
	INSTANCES_ROW_TOP,
	ROW_END,
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	return instances_run(cmd, argc, argv, "tracing_on", "1", err);
}

const struct command cmd_restart = {
	.name = "restart",
	.summary = "resume tracing after stop",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
