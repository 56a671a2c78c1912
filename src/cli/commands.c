// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * commands.c - the table of commands, by group, in the order of the help text.
 *
 * main.c finds a command here, help lists the commands, and the man pages and completions are made
 * from them. Every command here must have a man page and a cli test; tools/check-style checks this.
 */
#include "cli/command.h"

#include <stddef.h>

extern const struct command cmd_agent;
extern const struct command cmd_annotate;
extern const struct command cmd_as;
extern const struct command cmd_attach;
extern const struct command cmd_check_events;
extern const struct command cmd_clear;
extern const struct command cmd_convert;
extern const struct command cmd_count;
extern const struct command cmd_counters;
extern const struct command cmd_ctl;
extern const struct command cmd_diff;
extern const struct command cmd_doctor;
extern const struct command cmd_dump;
extern const struct command cmd_export;
extern const struct command cmd_extract;
extern const struct command cmd_flame;
extern const struct command cmd_functions;
extern const struct command cmd_graph;
extern const struct command cmd_help;
extern const struct command cmd_hist;
extern const struct command cmd_info;
extern const struct command cmd_inject;
extern const struct command cmd_latency;
extern const struct command cmd_list;
extern const struct command cmd_listen;
extern const struct command cmd_mark;
extern const struct command cmd_mem;
extern const struct command cmd_options;
extern const struct command cmd_probe;
extern const struct command cmd_profile;
extern const struct command cmd_recipe;
extern const struct command cmd_record;
extern const struct command cmd_replay;
extern const struct command cmd_report;
extern const struct command cmd_reset;
extern const struct command cmd_restart;
extern const struct command cmd_restore;
extern const struct command cmd_sample;
extern const struct command cmd_sched;
extern const struct command cmd_script;
extern const struct command cmd_set;
extern const struct command cmd_setup_guest;
extern const struct command cmd_show;
extern const struct command cmd_snapshot;
extern const struct command cmd_split;
extern const struct command cmd_sql;
extern const struct command cmd_stack;
extern const struct command cmd_start;
extern const struct command cmd_stat;
extern const struct command cmd_states;
extern const struct command cmd_stop;
extern const struct command cmd_stream;
extern const struct command cmd_top;
extern const struct command cmd_trace;
extern const struct command cmd_tui;
extern const struct command cmd_view;
extern const struct command cmd_why;

/* One row each, in the order of the help text. */
/* clang-format off */
static const struct command *const record_commands[] = {
	&cmd_record,
	&cmd_sample,
	&cmd_trace,
	&cmd_stream,
	&cmd_profile,
	&cmd_recipe,
	&cmd_ctl,
	&cmd_mark,
	NULL,
};

static const struct command *const look_commands[] = {
	&cmd_report,
	&cmd_replay,
	&cmd_view,
	&cmd_tui,
	&cmd_script,
	&cmd_info,
	NULL,
};

static const struct command *const question_commands[] = {
	&cmd_count,
	&cmd_counters,
	&cmd_top,
	&cmd_latency,
	&cmd_functions,
	&cmd_annotate,
	&cmd_graph,
	&cmd_flame,
	&cmd_why,
	&cmd_states,
	&cmd_sched,
	&cmd_sql,
	&cmd_diff,
	&cmd_hist,
	&cmd_mem,
	NULL,
};

static const struct command *const probe_commands[] = {
	&cmd_probe,
	&cmd_inject,
	NULL,
};

static const struct command *const file_commands[] = {
	&cmd_export,
	&cmd_convert,
	&cmd_split,
	&cmd_restore,
	&cmd_dump,
	NULL,
};

static const struct command *const kernel_commands[] = {
	&cmd_list,
	&cmd_doctor,
	&cmd_start,
	&cmd_set,
	&cmd_stop,
	&cmd_restart,
	&cmd_show,
	&cmd_stat,
	&cmd_snapshot,
	&cmd_extract,
	&cmd_clear,
	&cmd_reset,
	&cmd_stack,
	NULL,
};

static const struct command *const network_commands[] = {
	&cmd_listen,
	&cmd_agent,
	&cmd_setup_guest,
	&cmd_attach,
	NULL,
};

static const struct command *const other_commands[] = {
	&cmd_as,
	&cmd_options,
	&cmd_check_events,
	&cmd_help,
	NULL,
};
/* clang-format on */

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
