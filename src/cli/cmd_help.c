// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_help.c - help texts, and what man pages and completions are generated from.
 *
 *	sonde help                         all commands
 *	sonde help report                  one command, as `sonde report --help`
 *	sonde help --man report            the options of its man page          tools/gen-man
 *	sonde help --list-commands         for programs, one a line             tools/gen-completions
 *	sonde help --list-options report
 *
 * The last two print columns with a tab between them, empty where there is nothing:
 *
 *	command    name │ "file", "command" or "" (its arguments) │ summary │ usage
 *	option     -x │ --name │ value, [value] if it may be left out │ "file", "dir" or words │ help
 */
#include "base/textbuf.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct help_options {
	bool man, list_commands, list_options;
};

static const struct option_row rows[] = {
	{OPTION_FLAG, 0, "man", .help = "print the command's options as man page source",
	 .offset = offsetof(struct help_options, man), .hidden = true},
	{OPTION_FLAG, 0, "list-commands", .help = "print the commands, one a line",
	 .offset = offsetof(struct help_options, list_commands), .hidden = true},
	{OPTION_FLAG, 0, "list-options", .help = "print the command's options, one a line",
	 .offset = offsetof(struct help_options, list_options), .hidden = true},
	{OPTION_END},
};

void commands_fmt_help(struct textbuf *tb)
{
	textbuf_add_str(tb, "sonde shows what happened on a Linux machine.\n\n"
			    "usage: sonde COMMAND [options] [arguments]\n\ncommands:\n");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			textbuf_addf(tb, "  %-14s  %s\n", commands[i]->name, commands[i]->summary);
	textbuf_add_str(
		tb, "\n'sonde COMMAND --help' tells about a command, 'man sonde-COMMAND' more.\n");
}

static void fmt_subs(const struct command *cmd, struct textbuf *tb)
{
	textbuf_add_str(tb, "sub-commands:\n");
	for (size_t i = 0; cmd->subs[i]; i++)
		textbuf_addf(tb, "  %-8s  %s\n", cmd->subs[i]->name + strlen(cmd->name) + 1,
			     cmd->subs[i]->summary);
	textbuf_addf(tb, "\n'sonde %s SUB-COMMAND --help' tells about one, 'man sonde-%s' more.\n",
		     cmd->name, cmd->name);
}

void command_fmt_help(const struct command *cmd, struct textbuf *tb)
{
	textbuf_addf(tb, "usage: sonde %s%s%s\n\n%s\n\n", cmd->name, *cmd->usage ? " " : "",
		     cmd->usage, cmd->summary);
	if (cmd->subs) {
		fmt_subs(cmd, tb);
		return;
	}
	textbuf_add_str(tb, "options:\n");
	options_fmt_help(cmd->options, tb);
}

static void fmt_command_list(struct textbuf *tb)
{
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];
		const char *args = c->args_are_files	  ? "file"
				   : c->args_are_commands ? "command"
							  : "";

		if (!c->hidden)
			textbuf_addf(tb, "%s\t%s\t%s\t%s\n", c->name, args, c->summary, c->usage);
	}
}

static void fmt_option_list(const struct command *cmd, struct textbuf *tb)
{
	for (const struct option_row *r = cmd->options; r->kind != OPTION_END; r++) {
		if (r->kind == OPTION_HEADING || r->hidden)
			continue;
		if (r->letter)
			textbuf_addf(tb, "-%c", r->letter);
		textbuf_addf(tb, "\t%s%s\t", r->name ? "--" : "", r->name ? r->name : "");
		textbuf_addf(tb, r->arg_optional ? "[%s]" : "%s", r->arg ? r->arg : "");
		textbuf_addf(tb, "\t%s\t%s\n", r->complete ? r->complete : "", r->help);
	}
}

static int fmt_about(const struct help_options *opts, const char *name, struct textbuf *tb,
		     struct errmsg *err)
{
	const struct command *about = command_find(name);

	if (!about)
		return command_refuse(name, err);
	if (opts->man)
		options_fmt_man(about->options, tb);
	else if (opts->list_options)
		fmt_option_list(about, tb);
	else
		command_fmt_help(about, tb);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct help_options opts = {0};
	struct textbuf tb;
	int n = command_parse(cmd, &opts, argc, argv, err), r = 0;

	if (n < 0)
		return n;
	if (n > 1)
		return errmsg_set(err, -EINVAL,
				  "help tells about one command, but there is also '%s'", argv[2]);
	if (!n && (opts.man || opts.list_options))
		return errmsg_set(err, -EINVAL, "help: which command's options?");
	textbuf_init(&tb, 1 << 20);
	if (opts.list_commands)
		fmt_command_list(&tb);
	else if (n)
		r = fmt_about(&opts, argv[1], &tb, err);
	else
		commands_fmt_help(&tb);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
	return r;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "tell about a command",
	.usage = "[COMMAND]",
	.options = rows,
	.args_are_commands = true,
	.run = run,
};
