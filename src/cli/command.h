/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - what a command is. One file per command (cmd_NAME.c) exports one `struct command`; the
 * table in commands.c lists them. To add a command: write the file, add its row there, its man page
 * as doc/man/sonde-NAME.1.in and a case in tests/cli/.
 */
#ifndef SONDE_CLI_COMMAND_H
#define SONDE_CLI_COMMAND_H

#include "base/errmsg.h"
#include "base/options.h"

struct textbuf;

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *usage;   /* what follows the name: "[options] [FILE]" */
	const struct option_row *options;
	int parse_flags; /* OPTIONS_STOP_AT_ARGUMENT */
	bool hidden;
	/*
	 * For completion, what the arguments are: "file", "command" (of sonde), "program" (a command
	 * to run, or a file), a kind of complete.c ("@recipe"), or NULL.
	 */
	const char *args;
	const struct command *const
		*subs; /* "NAME WORD" each, ended by NULL; mostly there are none */
	void (*fmt_more)(struct textbuf *tb); /* ends the help text; mostly NULL */
	/*
	 * argv[0] is the command's name. Returns the exit status, or a negative errno with a sentence in
	 * err, which main prints; the exit status is 1 then.
	 */
	int (*run)(const struct command *cmd, int argc, char **argv, struct errmsg *err);
};

#define COMMAND_DONE (-100000) /* command_parse() printed the help text: return 0 */

/*
 * Parses the command's options into *opts. Returns the number of arguments (in argv[1..]), or
 * negative: pass it on. Use it as
 *	n = command_parse(cmd, &opts, argc, argv, err);
 *	if (n < 0)
 *		return n;
 */
int command_parse(const struct command *cmd, void *opts, int argc, char **argv, struct errmsg *err);

/* commands.c: what `sonde help` shows under one heading. */
struct command_group {
	const char *title;
	const struct command *const *commands; /* ended by NULL */
};

extern const struct command_group command_groups[]; /* ended by one without a title */

/* The i-th command of all groups; NULL behind the last. */
const struct command *command_at(size_t i);

const struct command *command_find(const char *name);

/* -EINVAL, with a sentence that names the command that may have been meant. */
int command_refuse(const char *name, struct errmsg *err);

/* What `sonde --help` and `sonde COMMAND --help` print. */
void commands_fmt_help(struct textbuf *tb);
void command_fmt_help(const struct command *cmd, struct textbuf *tb);
/* Prints the help text (of all commands: NULL) on stdout, through the pager on a terminal. */
void command_print_help(const struct command *cmd);

#endif
