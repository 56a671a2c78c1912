// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_help.c - prints help texts, and the data from which man pages and completions are generated.
 *
 *  sonde help                         all commands
 *  sonde help report                  one command, as `sonde report --help`
 *  sonde help probe add               a sub-command
 *  sonde help --man report            the options of its man page          tools/gen-man
 *  sonde help --list-commands         for programs, one per line             tools/gen-completions
 *  sonde help --list-commands probe   the sub-commands of one
 *  sonde help --list-groups           the commands below the titles of their groups
 *  sonde help --list-options report
 *  sonde help --complete KIND PREFIX  words for a value                    complete.c
 *
 * Lists have columns, separated by tabs; a column may be empty:
 *
 *	command    name │ kind of arguments (command.h) │ summary │ usage
 *	option     -x │ --name │ value, [value] if it is optional │ kind of completion │ help
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "cli/command.h"
#include "cli/complete.h"
#include "cli/screen/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct help_options {
	bool man, list_commands, list_groups, list_options;
	const char *complete;
};

static const struct option_row rows[] = {
	ROW_FLAG(0, "man", "print the command's options as man page source",
		 offsetof(struct help_options, man), .hidden = true),
	ROW_FLAG(0, "list-commands", "print the commands, one per line",
		 offsetof(struct help_options, list_commands), .hidden = true),
	ROW_FLAG(0, "list-groups",
		 "print the commands as --list-commands, under the titles of their groups",
		 offsetof(struct help_options, list_groups), .hidden = true),
	ROW_FLAG(0, "list-options", "print the command's options, one per line",
		 offsetof(struct help_options, list_options), .hidden = true),
	ROW_STRING(0, "complete", "KIND", "print the words of a kind that begin as the argument",
		   offsetof(struct help_options, complete), .hidden = true),
	ROW_END,
};

void commands_fmt_help(struct textbuf *tb)
{
	textbuf_add_str(tb, "sonde shows what happens on a Linux machine.\n\n"
			    "usage: sonde COMMAND [options] [arguments]\n");
	for (const struct command_group *g = command_groups; g->title; g++) {
		textbuf_addf(tb, "\n%s\n", g->title);
		for (size_t i = 0; g->commands[i]; i++)
			if (!g->commands[i]->hidden)
				textbuf_addf(tb, "  %-14s  %s\n", g->commands[i]->name,
					     g->commands[i]->summary);
	}
	textbuf_add_str(tb, "\n'sonde COMMAND --help' lists the options of a command; "
			    "'man sonde-COMMAND' is its manual.\n");
}

/* Returns the word of a sub-command after that of its command. */
static const char *sub_word(const struct command *cmd, const struct command *sub)
{
	return sub->name + strlen(cmd->name) + 1;
}

static void fmt_subs(const struct command *cmd, struct textbuf *tb)
{
	textbuf_add_str(tb, "sub-commands:\n");
	for (size_t i = 0; cmd->subs[i]; i++)
		textbuf_addf(tb, "  %-8s  %s\n", sub_word(cmd, cmd->subs[i]),
			     cmd->subs[i]->summary);
	textbuf_addf(tb,
		     "\n'sonde %s SUB-COMMAND --help' lists the options of one; 'man sonde-%s' is "
		     "the manual.\n",
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
	if (cmd->fmt_more)
		cmd->fmt_more(tb);
}

static void fmt_command_list(const struct command *const *list, struct textbuf *tb)
{
	for (size_t i = 0; list && list[i]; i++) {
		const struct command *c = list[i];

		if (!c->hidden)
			textbuf_addf(tb, "%s\t%s\t%s\t%s\n", c->name, c->args ? c->args : "",
				     c->summary, c->usage);
	}
}

/* Lists all commands; with_titles: titles of groups are lines with one column. */
static void fmt_groups(bool with_titles, struct textbuf *tb)
{
	for (const struct command_group *g = command_groups; g->title; g++) {
		if (with_titles)
			textbuf_addf(tb, "%s\n", g->title);
		fmt_command_list(g->commands, tb);
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

/* Finds a command by its words: a command, or a command and its sub-command. */
static int find_command(char **words, int n_words, const struct command **ret_cmd,
			struct errmsg *err)
{
	const struct command *cmd = command_find(words[0]);

	if (!cmd)
		return command_refuse(words[0], err);
	for (size_t i = 0; n_words > 1 && cmd->subs && cmd->subs[i]; i++) {
		if (strcmp(sub_word(cmd, cmd->subs[i]), words[1]))
			continue;
		*ret_cmd = cmd->subs[i];
		return 0;
	}
	if (n_words > 1)
		return errmsg_set(err, -EINVAL, "'%s' has no sub-command '%s'", words[0], words[1]);
	*ret_cmd = cmd;
	return 0;
}

static int fmt_about(const struct help_options *opts, char **words, int n_words, struct textbuf *tb,
		     struct errmsg *err)
{
	const struct command *about = NULL;

	TRY(find_command(words, n_words, &about, err));
	if (opts->list_commands)
		fmt_command_list(about->subs, tb);
	else if (opts->man)
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
	struct output out;
	TEXTBUF(tb, 1 << 20);
	int n = command_parse(cmd, &opts, argc, argv, err), r = 0;

	TRY(n);
	if (opts.complete && n <= 1)
		return complete_print(opts.complete, n ? argv[1] : "", err);
	if (n > 2)
		return errmsg_set(err, -EINVAL,
				  "help explains one command; '%s' is one word too many", argv[3]);
	if (!n && (opts.man || opts.list_options))
		return errmsg_set(err, -EINVAL, "help: which command's options?");
	if (n)
		r = fmt_about(&opts, argv + 1, n, &tb, err);
	else if (opts.list_commands)
		fmt_groups(false, &tb);
	else if (opts.list_groups)
		fmt_groups(true, &tb);
	else
		commands_fmt_help(&tb);
	output_page(&out);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	output_unpage(&out);
	return r;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "show help for a command",
	.usage = "[COMMAND [SUB-COMMAND]]",
	.options = rows,
	.args = "command",
	.run = run,
};
