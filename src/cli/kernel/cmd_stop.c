// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stop.c - `sonde stop`: sets tracing_on to 0.
 *
 * All settings stay and cost almost as much time as before, but no events are written. The events
 * stay in the buffers and can be read. `sonde restart` resumes, `sonde reset` removes the settings.
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
	return instances_run(cmd, argc, argv, "tracing_on", "0", err);
}

const struct command cmd_stop = {
	.name = "stop",
	.summary = "stop tracing, but keep the events in the buffers",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
