// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - finds the command and runs it; the only place that exits.
 *
 * Exit status: 0 all went well; 1 something is wrong with the input or could not be done (a sentence
 * on stderr says what); 2 the command line is wrong; 141 standard output was closed early, as if
 * SIGPIPE had ended us.
 */
#include "base/textbuf.h"
#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_TROUBLE 1
#define EXIT_USAGE   2

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static void print_usage(FILE *to)
{
	fprintf(to, "sonde shows what happened on a Linux machine.\n\n"
		    "usage: sonde COMMAND [options] [arguments]\n\ncommands:\n");
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->hidden)
			fprintf(to, "  %-14s  %s\n", commands[i]->name, commands[i]->summary);
	fprintf(to, "\n'sonde COMMAND --help' tells about a command; 'man sonde' has more.\n");
}

int command_parse(const struct command *cmd, void *opts, int argc, char **argv, struct errmsg *err)
{
	struct textbuf tb;
	bool help = false;
	int n = options_parse(cmd->options, opts, argc, argv, cmd->parse_flags, &help, err);

	if (n >= 0 && !help)
		return n;
	if (n < 0) {
		char text[sizeof(err->text)];

		/* main sees the prefix and says where help is */
		memcpy(text, err->text, sizeof(text));
		err->code = 0;
		return errmsg_set(err, -EINVAL, "%s: %.900s", cmd->name, text);
	}
	textbuf_init(&tb, 1 << 20);
	textbuf_addf(&tb, "usage: sonde %s %s\n\n%s\n\noptions:\n", cmd->name, cmd->usage, cmd->summary);
	options_fmt_help(cmd->options, &tb);
	fwrite(tb.start, 1, textbuf_len(&tb), stdout);
	textbuf_release(&tb);
	return COMMAND_DONE;
}

/* Output that could not be written (a full disk) must not look like success. */
static int finish_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return 128 + SIGPIPE;
	fprintf(stderr, "sonde: cannot write the output: %s\n", strerror(errno));
	return EXIT_TROUBLE;
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	struct errmsg err = {0};
	int r = cmd->run(cmd, argc, argv, &err);

	if (r >= 0)
		return finish_stdout(r);
	if (r == COMMAND_DONE)
		return finish_stdout(0);
	if (r == -EPIPE)
		return 128 + SIGPIPE;
	finish_stdout(0);
	fprintf(stderr, "sonde: %s\n", err.code ? err.text : strerror(-r));
	return r == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
}

/* A mapped trace that somebody truncates shows here and nowhere else. */
static void on_sigbus(int sig)
{
	static const char text[] = "sonde: the trace file was cut while it was being read\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	_exit(n < 0 ? EXIT_TROUBLE : EXIT_TROUBLE);
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	signal(SIGPIPE, SIG_IGN); /* a write fails instead, and is reported as such */
	signal(SIGBUS, on_sigbus);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("sonde %s\n", SONDE_VERSION);
		return finish_stdout(0);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return finish_stdout(0);
	}
	cmd = command_find(argv[1]);
	if (!cmd) {
		fprintf(stderr, "sonde: there is no command '%s'; 'sonde --help' lists them\n", argv[1]);
		return EXIT_USAGE;
	}
	return run_command(cmd, argc - 1, argv + 1);
}
