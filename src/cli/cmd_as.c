// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_as.c - `sonde as PROGRAM …`: the command line of another program, for scripts that have it.
 *
 * The programs are rows of the table below; each has its own files in cli/as/. main.c asks for one by the
 * name that sonde was started with, so that a link called trace-cmd is as good as `sonde as trace-cmd`.
 */
#include "cli/as/personality.h"
#include "cli/command.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const struct personality personalities[] = {
	{"trace-cmd", tracecmd_run},
	{"perf", perf_run},
};

static const struct option_row rows[] = {
	{OPTION_END},
};

const struct personality *personality_find(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(personalities) / sizeof(*personalities); i++)
		if (!strcmp(personalities[i].name, slash ? slash + 1 : path))
			return &personalities[i];
	return NULL;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	const struct personality *p;
	int n = command_parse(cmd, NULL, argc, argv, err);

	if (n < 0)
		return n;
	if (!n)
		return errmsg_set(err, -EINVAL,
				  "as: which program's command line is it? sonde knows: %s "
				  "and %s",
				  personalities[0].name, personalities[1].name);
	p = personality_find(argv[1]);
	if (!p)
		return errmsg_set(err, -EINVAL, "as: sonde cannot be '%s'; it knows: %s and %s",
				  argv[1], personalities[0].name, personalities[1].name);
	argv[n + 1] = NULL;
	return p->run(n, argv + 1);
}

const struct command cmd_as = {
	.name = "as",
	.summary = "take the command line of another program: trace-cmd, perf",
	.usage = "PROGRAM [ARGUMENT…]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
