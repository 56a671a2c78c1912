// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.c - the table of commands, by group, in the order of the help text.
 *
 * main.c finds a command here, help lists the commands, and the man pages and completions are made
 * from them. Every command here must have a man page and a cli test; tools/check-style checks this.
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
extern const struct command cmd_ctl, cmd_why, cmd_states, cmd_replay, cmd_graph, cmd_flame,
	cmd_script;

static const struct command *const record_commands[] = {
	&cmd_record, &cmd_stream, &cmd_profile, &cmd_recipe, &cmd_ctl, &cmd_mark, NULL,
};

static const struct command *const look_commands[] = {
	&cmd_report, &cmd_replay, &cmd_view, &cmd_script, &cmd_info, NULL,
};

static const struct command *const question_commands[] = {
	&cmd_count, &cmd_latency, &cmd_functions, &cmd_graph, &cmd_flame,
	&cmd_why,   &cmd_states,  &cmd_hist,	  &cmd_mem,   NULL,
};

static const struct command *const probe_commands[] = {
	&cmd_probe,
	&cmd_inject,
	NULL,
};

static const struct command *const file_commands[] = {
	&cmd_export, &cmd_convert, &cmd_split, &cmd_restore, &cmd_dump, NULL,
};

static const struct command *const kernel_commands[] = {
	&cmd_list, &cmd_doctor,	  &cmd_start,	&cmd_set,   &cmd_stop,	&cmd_restart, &cmd_show,
	&cmd_stat, &cmd_snapshot, &cmd_extract, &cmd_clear, &cmd_reset, &cmd_stack,   NULL,
};

static const struct command *const network_commands[] = {
	&cmd_listen, &cmd_agent, &cmd_setup_guest, &cmd_attach, NULL,
};

static const struct command *const other_commands[] = {
	&cmd_as, &cmd_options, &cmd_check_events, &cmd_help, NULL,
};

const struct command_group command_groups[] = {
	{"record events", record_commands},
	{"look at a trace", look_commands},
	{"ask questions about a trace or the running system", question_commands},
	{"probe functions, lines and variables", probe_commands},
	{"change and share trace files", file_commands},
	{"set up and control tracing in the kernel", kernel_commands},
	{"record other machines and guests", network_commands},
	{"other", other_commands},
	{NULL, NULL},
};

const struct command *command_at(size_t i)
{
	for (const struct command_group *g = command_groups; g->title; g++)
		for (size_t k = 0; g->commands[k]; k++)
			if (!i--)
				return g->commands[k];
	return NULL;
}
