// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd_help.c - help texts, and what is generated from the option tables.
 *
 *	sonde help                   all commands
 *	sonde help report            one command
 *	sonde help --man report      the OPTIONS section of its man page
 *	sonde help --list-options report   "-x" and "--long" words with what completes their value
 */
#include "base/textbuf.h"
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct help_options {
	bool man, list_options;
};

static const struct option_row rows[] = {
	{OPTION_FLAG, 0, "man", .help = "print the command's options as man page source",
	 .offset = offsetof(struct help_options, man), .hidden = true},
	{OPTION_FLAG, 0, "list-options", .help = "print the command's options, one a line",
	 .offset = offsetof(struct help_options, list_options), .hidden = true},
	{OPTION_END},
};

static void fmt_option_list(const struct command *cmd, struct textbuf *tb)
{
	for (const struct option_row *r = cmd->options; r->kind != OPTION_END; r++) {
		if (r->kind == OPTION_HEADING || r->hidden)
			continue;
		textbuf_addf(tb, "%s%c\t%s%s\t%s\t%s\t%s\n", r->letter ? "-" : "",
			     r->letter ? r->letter : ' ', r->name ? "--" : "", r->name ? r->name : "",
			     r->arg ? r->arg : "", r->complete ? r->complete : "", r->help);
	}
}

static int run(const struct command *cmd, int argc, char **argv, struct errmsg *err)
{
	struct help_options opts = {0};
	const struct command *about;
	struct textbuf tb;
	int n = command_parse(cmd, &opts, argc, argv, err);

	if (n < 0)
		return n;
	if (!n) {
		for (size_t i = 0; commands[i]; i++)
			if (!commands[i]->hidden)
				printf("%-14s  %s\n", commands[i]->name, commands[i]->summary);
		return 0;
	}
	about = command_find(argv[1]);
	if (!about)
		return errmsg_set(err, -EINVAL, "there is no command '%s'", argv[1]);
	textbuf_init(&tb, 1 << 20);
	if (opts.man) {
		options_fmt_man(about->options, &tb);
	} else if (opts.list_options) {
		fmt_option_list(about, &tb);
	} else {
		textbuf_addf(&tb, "usage: sonde %s %s\n\n%s\n\noptions:\n", about->name, about->usage,
			     about->summary);
		options_fmt_help(about->options, &tb);
	}
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
	return 0;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "tell about a command",
	.usage = "[COMMAND]",
	.options = rows,
	.run = run,
};
