/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - describes a command. One file per command (cmd_NAME.c) exports one `struct command`;
 * the table in commands.c lists them. To add a command, write the file, add its row there, its man
 * page as doc/man/sonde-NAME.1.in and a case in tests/cli/.
 */
#ifndef SONDE_CLI_COMMAND_H
#define SONDE_CLI_COMMAND_H

#include "base/errmsg.h"
#include "base/options.h"

struct textbuf;

struct command {
	const char *name;
	const char *summary; /* one line, lower case, no full stop */
	const char *usage;   /* text after the name: "[options] [FILE]" */
	const struct option_row *options;
	int parse_flags; /* OPTIONS_STOP_AT_ARGUMENT */
	bool hidden;
	/*
	 * The kind of arguments, for completion: "file", "command" (of sonde), "program" (a command
	 * to run, or a file), a kind of complete.c ("@recipe"), or NULL.
	 */
	const char *args;
	const struct command *const
		*subs; /* sub-commands, each "NAME WORD", ended by NULL; mostly none */
	void (*fmt_more)(struct textbuf *tb); /* writes the end of the help text; mostly NULL */
	/*
	 * Runs the command; argv[0] is its name. Returns the exit status, or a negative errno with
	 * a message in err, which main prints; then the exit status is 1.
	 */
	int (*run)(const struct command *cmd, int argc, char **argv, struct errmsg *err);
};

#define COMMAND_DONE (-100000) /* command_parse() printed the help text: the caller returns 0 */

/*
 * Parses the command's options into *opts. Returns the number of arguments (in argv[1..]), or a
 * negative value, which the caller returns: n = command_parse(cmd, &opts, argc, argv, err); if (n <
 * 0) return n;
 */
int command_parse(const struct command *cmd, void *opts, int argc, char **argv, struct errmsg *err);

/*
 * Runs the command with these words, the name first, and with n_more arguments after them. The
 * result is that of the command.
 */
int command_run(const struct command *cmd, const char *const *words, int n_words, char *const *more,
		int n_more, struct errmsg *err);

/*
 * The file of a command that reads one: -i FILE or an argument. It is the first member of the
 * command's options, with the default path; the command uses the row below.
 */
struct file_option {
	const char *path;
	bool is_given;
};

int command_input(void *opts, const char *value, struct errmsg *err);
#define ROW_INPUT(help) ROW_CALL('i', "input", "FILE", help, command_input, .complete = "file")
/* command_parse() for such a command. Returns 0 or a negative value. */
int command_parse_file(const struct command *cmd, struct file_option *o, int argc, char **argv,
		       struct errmsg *err);

/* commands.c: the commands that `sonde help` shows under one heading. */
struct command_group {
	const char *title;
	const struct command *const *commands; /* ended by NULL */
};

extern const struct command_group command_groups[]; /* ended by an entry without a title */

/* Returns the i-th command of all groups, or NULL after the last. */
const struct command *command_at(size_t i);

const struct command *command_find(const char *name);

/* Returns -EINVAL, with a message that suggests a similar command. */
int command_refuse(const char *name, struct errmsg *err);

/* Write the texts of `sonde --help` and `sonde COMMAND --help`. */
void commands_fmt_help(struct textbuf *tb);
void command_fmt_help(const struct command *cmd, struct textbuf *tb);
/* Prints the help text (NULL: of all commands) to stdout, through the pager on a terminal. */
void command_print_help(const struct command *cmd);

#endif
