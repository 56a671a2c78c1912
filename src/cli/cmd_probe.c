// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_probe.c - `sonde probe`: finds the sub-command and runs it.
 *
 *	probe add | del                  defines and removes
 *	probe list | show                lists probes, and shows one
 *	probe funcs | lines | vars       lists what can be probed; changes nothing
 *
 * The table below is in the order of the help text.
 */
#include "base/spelling.h"
#include "base/textbuf.h"
#include "cli/probe/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct command *const subs[] = {
	&probe_add,   &probe_del,   &probe_list, &probe_show,
	&probe_funcs, &probe_lines, &probe_vars, NULL,
};

static const struct option_row rows[] = {
	ROW_END,
};

static int refuse(const char *word, struct errmsg *err)
{
	struct spelling sp;

	spelling_init(&sp, word, strlen(word));
	for (size_t i = 0; subs[i]; i++)
		spelling_add(&sp, probecmd_word(subs[i]));
	return errmsg_set(err, -EINVAL,
			  "there is no 'probe %s'%s%s; 'sonde probe --help' lists what there is",
			  word, sp.nearest ? "; did you mean probe " : "",
			  sp.nearest ? sp.nearest : "");
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	if (argc < 2)
		return errmsg_set(err, -EINVAL,
				  "probe needs a sub-command; 'sonde probe --help' lists them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command_print_help(cmd);
		return 0;
	}
	for (size_t i = 0; subs[i]; i++)
		if (!strcmp(argv[1], probecmd_word(subs[i])))
			return subs[i]->run(subs[i], argc - 1, argv + 1, err);
	return refuse(argv[1], err);
}

const struct command cmd_probe = {
	.name = "probe",
	.summary = "define probes, and find what can be probed",
	.usage = "SUB-COMMAND [options] [arguments]",
	.options = rows,
	.subs = subs,
	.parse_flags = OPTIONS_STOP_AT_ARGUMENT,
	.run = run,
};
