// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file.c - report, hist, options and check-events as in trace-cmd.
 *
 * sonde's commands of these names print the same text; this file has only the differences: one file
 * may follow the options, there is no pager and no colour, and the profile has trace-cmd's form.
 */
#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/command.h"
#include "cli/screen/terminal.h"

#include <stdio.h>
#include <unistd.h>

extern const struct command cmd_report, cmd_hist, cmd_options, cmd_check_events;

/*
 * Runs a command on a file. The first argument is the input, unless -i is given; trace-cmd ignores
 * the others.
 */
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

/* Accepts any words, and ignores them. */
int tc_run_options(struct tc_line *line, struct errmsg *err)
{
	char *argv[] = {(char *)line->cmd->name, NULL};

	return cmd_options.run(&cmd_options, 1, argv, err);
}

/*
 * Checks the events. As in trace-cmd, nothing is printed to standard output, and the exit status is
 * always 0.
 */
int tc_run_check_events(struct tc_line *line, struct errmsg *err)
{
	int r;

	line->n_args = 0;
	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	r = terminal_guard(); /* standard output may be a terminal now */
	TRY(r);
	r = tc_run_command(line, &cmd_check_events, NULL, err);
	return r < 0 ? r : 0;
}
