// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.c - the table of commands, in the order of the help text.
 *
 * main.c looks a command up here, help lists them, the man pages and completions are made from them.
 * A command that stands here must have a man page and a cli case; tools/check-style insists.
 */
#include "cli/command.h"

#include <stddef.h>

extern const struct command cmd_convert, cmd_split, cmd_dump, cmd_restore, cmd_list;
extern const struct command cmd_info, cmd_hist, cmd_mem, cmd_check_events;
extern const struct command cmd_record, cmd_start, cmd_set, cmd_extract, cmd_listen;
extern const struct command cmd_doctor, cmd_recipe;
extern const struct command cmd_stream, cmd_profile;
extern const struct command cmd_show, cmd_stat, cmd_stop, cmd_restart, cmd_clear, cmd_reset,
	cmd_snapshot, cmd_stack, cmd_mark;
extern const struct command cmd_view, cmd_export, cmd_report, cmd_options, cmd_as, cmd_help;
extern const struct command cmd_attach, cmd_setup_guest, cmd_agent;
extern const struct command cmd_probe, cmd_latency, cmd_functions, cmd_count, cmd_inject;

const struct command *const commands[] = {
	&cmd_record,   &cmd_stream,  &cmd_profile,	&cmd_start,   &cmd_set,	      &cmd_extract,
	&cmd_stop,     &cmd_restart, &cmd_clear,	&cmd_reset,   &cmd_show,      &cmd_stat,
	&cmd_snapshot, &cmd_stack,   &cmd_mark,		&cmd_report,  &cmd_view,      &cmd_export,
	&cmd_info,     &cmd_hist,    &cmd_mem,		&cmd_convert, &cmd_split,     &cmd_dump,
	&cmd_restore,  &cmd_list,    &cmd_probe,	&cmd_latency, &cmd_functions, &cmd_count,
	&cmd_inject,   &cmd_options, &cmd_check_events, &cmd_recipe,  &cmd_doctor,    &cmd_listen,
	&cmd_agent,    &cmd_attach,  &cmd_setup_guest,	&cmd_as,      &cmd_help,      NULL,
};
