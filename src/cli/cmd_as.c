// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_as.c - `sonde as PROGRAM …`: runs the command line of another program, for existing scripts.
 *
 * The programs are rows of the table below; each has its own files in cli/as/. main.c also finds
 * one by the name with which sonde was started, so that a link named trace-cmd works like `sonde as
 * trace-cmd`.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/as/personality.h"
#include "cli/command.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct personality personalities[] = {
	{"trace-cmd", "trace-cmd 3.1.6", tracecmd_run, tracecmd_command},
	{"perf", "perf 6.1", perf_run, perf_command},
	{"uftrace", "uftrace 0.13", uftrace_run, uftrace_command},
	{"strace", "strace 6.1", strace_run, strace_command},
	{NULL},
};

static const struct option_row rows[] = {
	ROW_END,
};

const struct personality *personality_find(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (const struct personality *p = personalities; p->name; p++)
		if (!strcmp(p->name, slash ? slash + 1 : path))
			return p;
	return NULL;
}

/* Adds the programs and their commands to the help text, after the options. */
static void fmt_programs(struct textbuf *tb)
{
	for (const struct personality *p = personalities; p->name; p++) {
		const char *name, *summary;

		textbuf_addf(tb, "\nsonde as %s takes these commands of %s:\n", p->name, p->peer);
		for (size_t i = 0; p->command(i, &name, &summary); i++)
			if (summary)
				textbuf_addf(tb, "  %-14s  %s\n", name, summary);
	}
	textbuf_add_str(tb,
			"\n'sonde as PROGRAM COMMAND -h' shows the options of a command. A link to "
			"sonde\nthat is named trace-cmd, perf, uftrace or strace does the same as "
			"'sonde as'.\n");
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	const struct personality *p;
	int n = command_parse(cmd, NULL, argc, argv, err);

	TRY(n);
	if (!n)
		return errmsg_set(err, -EINVAL,
				  "as: which program's command line is it? sonde knows: %s, "
				  "%s, %s and %s",
				  personalities[0].name, personalities[1].name,
				  personalities[2].name, personalities[3].name);
	p = personality_find(argv[1]);
	if (!p)
		return errmsg_set(err, -EINVAL,
				  "as: sonde cannot be '%s'; it knows: %s, %s, %s and %s", argv[1],
				  personalities[0].name, personalities[1].name,
				  personalities[2].name, personalities[3].name);
	argv[n + 1] = NULL;
	return p->run(n, argv + 1);
}

const struct command cmd_as = {
	.name = "as",
	.summary = "run with the command line of trace-cmd, perf, uftrace or strace",
	.usage = "PROGRAM [ARGUMENT…]",
	.options = rows,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
	.args = "@as",
	.fmt_more = fmt_programs,
};
