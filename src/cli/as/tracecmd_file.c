// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecmd_file.c - report, hist, options and check-events as trace-cmd has them.
 *
 * sonde's commands of these names print the same text; here is only what differs in their words: one file
 * may follow the options, no pager, no colours, and the profile in trace-cmd's form.
 */
#include "base/errmsg.h"
#include "cli/as/tracecmd_int.h"
#include "cli/command.h"
#include "cli/screen/terminal.h"

#include <stdio.h>
#include <unistd.h>

extern const struct command cmd_report, cmd_hist, cmd_options, cmd_check_events;

/* The first argument is the input, unless -i is there; what follows it trace-cmd does not look at. */
static int run_on_file(struct tc_line *line, const struct command *cmd, const char *const *more,
		       struct errmsg *err)
{
	if (line->n_args && tc_value(line, 'i'))
		return tc_usage(line->cmd);
	line->n_args = line->n_args ? 1 : 0;
	return tc_run_command(line, cmd, more, err);
}

int tc_run_report(struct tc_line *line, struct errmsg *err)
{
	static const char *const more[] = {"--no-pager", "--color=never", NULL};
	static const char *const profile[] = {"--no-pager", "--color=never", "--peer-text", NULL};

	return run_on_file(line, &cmd_report, tc_has(line, 0, "profile") ? profile : more, err);
}

int tc_run_hist(struct tc_line *line, struct errmsg *err)
{
	return run_on_file(line, &cmd_hist, NULL, err);
}

/* Takes any words, and looks at none. */
int tc_run_options(struct tc_line *line, struct errmsg *err)
{
	char *argv[] = {(char *)line->cmd->name, NULL};

	return cmd_options.run(&cmd_options, 1, argv, err);
}

/* trace-cmd has nothing on standard output here, and 0 whatever it found; warnings are no output. */
int tc_run_check_events(struct tc_line *line, struct errmsg *err)
{
	int r;

	line->n_args = 0;
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	r = terminal_guard(); /* it may be a terminal now */
	if (r < 0)
		return r;
	r = tc_run_command(line, &cmd_check_events, NULL, err);
	return r < 0 ? r : 0;
}
