// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_stop.c - `sonde stop`: tracing_on becomes 0.
 *
 * A switch, no more: whatever was set up stays set up and costs the kernel almost as much as before, but
 * nothing is written. What is in the buffers stays and can be looked at in peace; `sonde restart` goes on,
 * `sonde reset` removes the set-up.
 */
#include "base/options.h"
#include "cli/kernel/instances.h"

static const struct option_row rows[] = {
	INSTANCES_ROW_NAME,
	INSTANCES_ROW_ALL,
	INSTANCES_ROW_TOP,
	{OPTION_END},
};

static int switch_off(const struct tracefs *t, const char *instance, struct errmsg *err)
{
	return tracefs_write(t, instance, "tracing_on", "0", TRACEFS_SET, err);
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	return instances_run(cmd, argc, argv, switch_off, err);
}

const struct command cmd_stop = {
	.name = "stop",
	.summary = "stop tracing, but keep the events in the buffers",
	.usage = "[options]",
	.options = rows,
	.run = run,
};
