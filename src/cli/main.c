// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - finds the command and runs it; the only place that exits.
 *
 * Exit status: 0 success; 1 the input is wrong or an operation failed (a message on stderr reports
 * it); 2 the command line is wrong; 141 standard output was closed early, as if SIGPIPE had ended
 * us.
 */
#include "base/files/caller.h"
#include "base/scope.h"
#include "base/shortage.h"
#include "base/spelling.h"
#include "base/textbuf.h"
#include "cli/as/personality.h"
#include "cli/command.h"
#include "cli/screen/output.h"
#include "cli/screen/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_TROUBLE 1
#define EXIT_USAGE   2

const struct command *command_find(const char *name)
{
	const struct command *cmd;

	for (size_t i = 0; (cmd = command_at(i)); i++)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

int command_refuse(const char *name, struct errmsg *err)
{
	const struct command *cmd;
	struct spelling sp;

	spelling_init(&sp, name, strlen(name));
	for (size_t i = 0; (cmd = command_at(i)); i++)
		if (!cmd->hidden)
			spelling_add(&sp, cmd->name);
	if (sp.nearest)
		return errmsg_set(err, -EINVAL, "there is no command '%s'; did you mean '%s'?",
				  name, sp.nearest);
	return errmsg_set(err, -EINVAL, "there is no command '%s'; 'sonde help' lists them", name);
}

/* Prints the help text; cmd NULL: all commands. */
static void print_help(const struct command *cmd, FILE *to)
{
	TEXTBUF(tb, 1 << 20);

	if (cmd)
		command_fmt_help(cmd, &tb);
	else
		commands_fmt_help(&tb);
	fwrite(tb.start, 1, textbuf_len(&tb), to);
}

void command_print_help(const struct command *cmd)
{
	struct output out;

	output_page(&out);
	print_help(cmd, stdout);
	output_unpage(&out);
}

int command_parse(const struct command *cmd, void *opts, int argc, char **argv, struct errmsg *err)
{
	bool help = false;
	int n = options_parse(cmd->options, opts, argc, argv, cmd->parse_flags, &help, err);

	if (n < 0) {
		/* name the command: in a script the message alone does not show it */
		errmsg_prefix(err, "%s: ", cmd->name);
		return err->code = -EINVAL;
	}
	if (!help)
		return n;
	command_print_help(cmd);
	return COMMAND_DONE;
}

int command_run(const struct command *cmd, const char *const *words, int n_words, char *const *more,
		int n_more, struct errmsg *err)
{
	SCOPED(scope_free) char **all = calloc((size_t)n_words + n_more + 1, sizeof(*all));

	if (!all)
		return errmsg_set_errno(err, -ENOMEM, "cannot run sonde %s", cmd->name);
	for (int i = 0; i < n_words; i++)
		all[i] = (char *)words[i];
	for (int i = 0; i < n_more; i++)
		all[n_words + i] = more[i];
	return cmd->run(cmd, n_words + n_more, all, err);
}

int command_input(void *opts, const char *value, struct errmsg *err)
{
	struct file_option *o = opts;

	if (o->is_given)
		return errmsg_set(err, -EINVAL, "'%s' is one file too many", value);
	*o = (struct file_option){value, true};
	return 0;
}

int command_parse_file(const struct command *cmd, struct file_option *o, int argc, char **argv,
		       struct errmsg *err)
{
	int n = command_parse(cmd, o, argc, argv, err);

	for (int i = 1; i <= n; i++)
		if (command_input(o, argv[i], err) < 0) {
			errmsg_prefix(err, "%s: ", cmd->name);
			return err->code;
		}
	return n < 0 ? n : 0;
}

static bool reader_is_gone(void)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};

	return poll(&p, 1, 0) > 0 && (p.revents & POLLERR);
}

/*
 * Checks standard output: output that could not be written (a full disk) must not look like
 * success. The write may have failed long ago, so errno may belong to another call.
 */
static int finish_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno == EPIPE || reader_is_gone())
		return 128 + SIGPIPE;
	fprintf(stderr, "sonde: cannot write the output: %s\n", strerror(errno));
	return EXIT_TROUBLE;
}

/*
 * Checks for shortages. A command fails if memory or descriptors ran out, even if it could
 * continue: a name or a line may be missing. A command that failed has already reported an error,
 * but may not know its cause.
 */
static int finish_shortage(int status)
{
	int code = shortage_pending();

	if (!code || status == 128 + SIGPIPE)
		return status;
	fprintf(stderr, "sonde: %s; %s\n",
		code == ENOMEM ? "out of memory"
		: code == EIO  ? "a file could not be read"
			       : "out of file descriptors (see 'ulimit -n')",
		status ? "this may be the reason" : "the output may be incomplete");
	return status ? status : EXIT_TROUBLE;
}

static bool is_write_error(int r)
{
	return r == -ENOSPC || r == -EIO || r == -EDQUOT || r == -EFBIG;
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
	if (!is_write_error(r)) /* a write error is reported below */
		finish_stdout(0);
	if (r == -ENOMEM || r == -EMFILE || r == -ENFILE)
		shortage_settle(shortage_count()); /* the message already reports it */
	if (err.code)
		fprintf(stderr, "sonde: %s\n", err.text);
	else if (is_write_error(r))
		fprintf(stderr, "sonde: cannot write the output: %s\n", strerror(-r));
	else
		fprintf(stderr, "sonde: %s cannot continue: %s\n", cmd->name, strerror(-r));
	return r == -EINVAL ? EXIT_USAGE : EXIT_TROUBLE;
}

/* Handles SIGBUS, the only sign that another process truncated a mapped trace. */
static void on_sigbus(int sig)
{
	static const char text[] = "sonde: the trace file was truncated while it was being read\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);

	_exit(n < 0 ? EXIT_TROUBLE : EXIT_TROUBLE);
}

/*
 * Keeps the standard descriptors in use. A program may be started with its standard files closed.
 * Then the next file that it opens would take their place, and messages would be written into it.
 * So /dev/null is opened there in the wrong mode: it occupies the descriptor, and its use fails
 * like that of a closed file.
 */
static void keep_standard_files(void)
{
	/* then it is the lowest free descriptor, which open() uses */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Handles `sonde -X` and `sonde --WORD`, before any command. */
static int run_option(const char *word)
{
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("sonde %s\n", SONDE_VERSION);
		return finish_stdout(0);
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		command_print_help(NULL);
		return finish_stdout(0);
	}
	fprintf(stderr,
		"sonde: unknown option '%s'; a command comes first, and 'sonde help' lists them\n",
		word);
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	const struct personality *other = argc ? personality_find(argv[0]) : NULL;
	const struct command *cmd;
	struct errmsg err = {0};

	if (other)
		return finish_shortage(finish_stdout(other->run(argc, argv)));
	if (argc < 2) {
		print_help(NULL, stderr);
		return EXIT_USAGE;
	}
	if (argv[1][0] == '-')
		return finish_shortage(run_option(argv[1]));
	cmd = command_find(argv[1]);
	if (cmd)
		return finish_shortage(run_command(cmd, argc - 1, argv + 1));
	command_refuse(argv[1], &err);
	fprintf(stderr, "sonde: %s\n", err.text);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	int status;

	keep_standard_files();
	signal(SIGPIPE, SIG_IGN); /* a write fails instead, and the failure is reported */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGBUS, on_sigbus);
	if (caller_is_raised()) /* libdw would fill the caller's ~/.cache with root's rights */
		unsetenv("DEBUGINFOD_URLS");
	if (terminal_guard() < 0) {
		fputs("sonde: there is not enough memory to start\n", stderr);
		return EXIT_TROUBLE;
	}
	if (caller_is_secure()) {
		fputs("sonde: refuses to run setuid, setgid or with file capabilities, because its "
		      "commands "
		      "and files would get these rights; use sudo\n",
		      stderr);
		return EXIT_TROUBLE;
	}
	status = run(argc, argv);
	terminal_release();
	return status;
}
