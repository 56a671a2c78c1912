// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_options.c - lists the options that report -O can set.
 *
 *	  plugin:	ftrace
 *	  option:	parent
 *	    desc:	Print parent of functions for function events
 *	     set:	0
 *	------------
 *
 * A line of = instead of - separates plugins. The table is in decode/handlers/plugin_options.c.
 */
#include "base/scope.h"
#include "cli/command.h"
#include "cli/screen/output.h"
#include "decode/handlers/plugin_options.h"

#include <errno.h>
#include <stdio.h>

static const struct option_row no_options[] = {
	ROW_END,
};

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	size_t n_rows;
	const struct plugin_option_row *rows = plugin_options_rows(&n_rows);
	int n = command_parse(cmd, NULL, argc, argv, err);
	struct output out;

	TRY(n);
	if (n)
		return errmsg_set(err, -EINVAL, "options takes no argument, but there is '%s'",
				  argv[1]);
	output_page(&out);
	for (size_t i = 0; i < n_rows; i++) {
		if (i)
			puts(strcmp(rows[i].plugin, rows[i - 1].plugin) ? "============"
									: "------------");
		printf("%8s:\t%s\n", "plugin", rows[i].plugin);
		printf("%8s:\t%s\n", "option", rows[i].name);
		printf("%8s:\t%s\n", "desc", rows[i].description);
		printf("%8s:\t%d\n", "set", rows[i].is_set);
	}
	output_unpage(&out);
	return 0;
}

const struct command cmd_options = {
	.name = "options",
	.summary = "list the plugin options for report -O",
	.usage = "",
	.options = no_options,
	.run = run,
};
