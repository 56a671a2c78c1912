// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracecmd.c - sonde as trace-cmd 3.1.6: finds the command, parses its words, reports errors.
 *
 *	words ──▶ getopt_long with the rows of table.c ──▶ tc_line ──▶ the row's run()
 *
 * The words go through the C library's own getopt_long, as in trace-cmd, so that abbreviations,
 * clusters, the end of options and the messages about bad options are the same. Most commands that
 * work on files then pass the words to sonde's command of that name (tc_run_same).
 *
 * An error is printed as `trace-cmd: TEXT OF ERRNO`, then a line with two blanks and sonde's
 * message. The exit status is the number of errno. If there is no number, only the message is
 * printed, and the exit status is 255.
 */
#include "base/scope.h"
#include "base/textbuf.h"
#include "capture/tracefs/tracefs.h"
#include "cli/as/personality.h"
#include "cli/as/tracecmd/tracecmd_int.h"
#include "cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS_MAX 128
#define FIRST_LONG  256 /* first of the numbers for long names in getopt, different from '?' */

/* --- usage ------------------------------------------------------------------------------------ */

static void print_options(const struct tc_option *o)
{
	for (; o->letter || o->name; o++) {
		if (!o->help)
			continue;
		if (o->letter)
			printf("          -%c %s\n", o->letter, o->help);
		else
			printf("          --%s%s%s\n", o->name, *o->help ? " " : "", o->help);
	}
}

int tc_usage(const struct tc_command *c)
{
	printf("\ntrace-cmd version %s (sonde %s)\n\nusage:\n", TRACECMD_VERSION, SONDE_VERSION);
	if (c) {
		printf(" trace-cmd %s %s\n", c->name, c->synopsis);
		print_options(c->options);
	} else {
		puts("  trace-cmd [COMMAND] ...\n\n  commands:");
		for (c = tracecmd_commands; c->name; c++)
			if (c->summary)
				printf("     %s - %s\n", c->name, c->summary);
	}
	putchar('\n');
	return TRACECMD_USAGE;
}

int tc_run_help(struct tc_line *line, struct errmsg *err)
{
	return tc_usage(NULL);
}

bool tracecmd_command(size_t i, const char **ret_name, const char **ret_summary)
{
	if (!tracecmd_commands[i].name)
		return false;
	*ret_name = tracecmd_commands[i].name;
	*ret_summary = tracecmd_commands[i].summary;
	return true;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Makes the rows for getopt: "+he:f:", and an array of long names. */
static void make_getopt(const struct tc_command *c, char *letters, struct option *names)
{
	size_t n = 0;

	if (c->at_first)
		*letters++ = '+';
	*letters++ = 'h';
	for (const struct tc_option *o = c->options; o->letter || o->name; o++) {
		if (o->letter)
			*letters++ = o->letter;
		if (o->letter && o->arg)
			*letters++ = ':';
		if (o->letter && o->arg == '?')
			*letters++ = ':';
		if (o->name && n < OPTIONS_MAX - 2)
			names[n++] = (struct option){o->name,
						     o->arg == ':'   ? required_argument
						     : o->arg == '?' ? optional_argument
								     : no_argument,
						     NULL, FIRST_LONG + (int)(o - c->options)};
	}
	*letters = 0;
	names[n++] = (struct option){"help", no_argument, NULL, 'h'};
	names[n] = (struct option){0};
}

static const struct tc_option *find_option(const struct tc_command *c, int code)
{
	if (code >= FIRST_LONG)
		return &c->options[code - FIRST_LONG];
	for (const struct tc_option *o = c->options; o->letter || o->name; o++)
		if (o->letter == code)
			return o;
	return NULL;
}

/*
 * Parses the words; argv[0] is the command. Returns 0, or -EINVAL if a usage text must be printed;
 * getopt has printed the reason.
 */
static int parse(struct tc_line *line, int argc, char **argv)
{
	char letters[3 * OPTIONS_MAX];
	struct option names[OPTIONS_MAX];
	int code;

	if (line->cmd->by_hand) {
		line->args = argv + 1;
		line->n_args = argc - 1;
		return 0;
	}
	make_getopt(line->cmd, letters, names);
	optind = 0; /* glibc restarts with 0 */
	while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		const struct tc_option *o = find_option(line->cmd, code);

		if (!o)
			return -EINVAL;
		line->words[line->n_words++] = (struct tc_word){o, optarg};
	}
	line->args = argv + optind;
	line->n_args = argc - optind;
	return 0;
}

const char *tc_value(const struct tc_line *line, char letter)
{
	for (size_t i = line->n_words; i-- > 0;)
		if (line->words[i].option->letter == letter)
			return line->words[i].value;
	return NULL;
}

bool tc_has(const struct tc_line *line, char letter, const char *name)
{
	for (size_t i = 0; i < line->n_words; i++) {
		const struct tc_option *o = line->words[i].option;

		if ((letter && o->letter == letter) || (name && o->name && !strcmp(o->name, name)))
			return true;
	}
	return false;
}

/* Writes "-e" or "--name". An optional value is joined to it. */
static char *fmt_option(const struct tc_word *w, char *at, size_t n_bytes)
{
	const char *value = w->option->arg == '?' && w->value ? w->value : "";

	if (w->option->to)
		snprintf(at, n_bytes, "%s", w->option->to);
	else if (w->option->letter)
		snprintf(at, n_bytes, "-%c%s", w->option->letter, value);
	else
		snprintf(at, n_bytes, "--%s%s%s", w->option->name, *value ? "=" : "", value);
	return at;
}

/* Makes the words. The texts of the options are after the array, in the same piece of memory. */
char **tc_words(const struct tc_line *line, const char *const *more, int *ret_argc)
{
	size_t n = 2 * line->n_words + line->n_args + 24, n_bytes = 1, used = 0;
	char **words, *text;
	int argc = 0;

	for (size_t i = 0; i < line->n_words; i++)
		n_bytes += 64 + (line->words[i].value ? strlen(line->words[i].value) : 0);
	words = calloc(1, n * sizeof(*words) + n_bytes);
	if (!words)
		return NULL;
	text = (char *)(words + n);
	words[argc++] = (char *)line->cmd->name;
	for (size_t i = 0; more && more[i] && i < 16; i++)
		words[argc++] = (char *)more[i];
	for (size_t i = 0; i < line->n_words; i++) {
		const struct tc_word *w = &line->words[i];

		if (w->option->to && !*w->option->to)
			continue;
		words[argc++] = fmt_option(w, text + used, n_bytes - used);
		used += strlen(text + used) + 1;
		if (w->option->arg == ':')
			words[argc++] = (char *)w->value;
	}
	if (line->n_args)
		words[argc++] = (char *)"--";
	for (int i = 0; i < line->n_args; i++)
		words[argc++] = line->args[i];
	*ret_argc = argc;
	return words;
}

int tc_run_command(const struct tc_line *line, const struct command *cmd, const char *const *more,
		   struct errmsg *err)
{
	int argc;
	SCOPED(scope_free) char **argv = tc_words(line, more, &argc);

	if (!argv)
		return -ENOMEM;
	return cmd->run(cmd, argc, argv, err);
}

int tc_run_same(struct tc_line *line, struct errmsg *err)
{
	return tc_run_command(line, line->cmd->same,
			      (const char *const[]){line->cmd->first_word, NULL}, err);
}

/* --- files of the tracing directory ----------------------------------------------------------- */

int tc_print_file(const struct tracefs *t, const char *instance, const char *file,
		  struct errmsg *err)
{
	int fd = tracefs_open_file(t, instance, file, O_RDONLY);
	char buf[16384], path[TRACEFS_PATH_MAX];
	ssize_t n = 0;

	if (fd < 0)
		return errmsg_set(err, fd, "reading %s", tracefs_fmt_path(t, instance, file, path));
	fflush(stdout);
	while ((n = TEMP_FAILURE_RETRY(read(fd, buf, sizeof(buf)))) > 0)
		if (fwrite(buf, 1, n, stdout) != (size_t)n || fflush(stdout))
			break;
	close(fd);
	return 0;
}

const char *tc_read(const struct tracefs *t, const char *instance, const char *file,
		    char **ret_heap)
{
	TEXTBUF(tb, 64u << 20);
	char *s = NULL, *end;

	if (tracefs_read(t, instance, file, &tb) >= 0) {
		textbuf_add_char(&tb, '\0');
		s = tb.overflow ? NULL : strdup(tb.start);
	}
	*ret_heap = s;
	if (!s)
		return NULL;
	for (end = s + strlen(s); end > s && isspace((unsigned char)end[-1]); end--)
		end[-1] = 0;
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

DIR *tc_open_directory(const struct tracefs *t, const char *instance, const char *dir)
{
	char path[TRACEFS_PATH_MAX];

	return opendir(tracefs_fmt_path(t, instance, dir, path));
}

const char *tc_next_directory(DIR *dir)
{
	struct dirent *e;

	while ((e = readdir(dir)))
		if (e->d_name[0] != '.' && e->d_type != DT_REG)
			return e->d_name;
	return NULL;
}

/* --- running ---------------------------------------------------------------------------------- */

/* Prints an error. Returns the same status as trace-cmd: the number of errno, if there is one. */
static int tell_error(int code, const struct errmsg *err)
{
	int number = err->code ? -err->code : -code;

	fflush(stdout);
	if (number == EINVAL || number == EBADMSG || number > 254) {
		fprintf(stderr, "  %s\n", err->code ? err->text : strerror(number));
		return TRACECMD_USAGE;
	}
	fprintf(stderr, "trace-cmd: %s\n  %s\n", strerror(number), err->code ? err->text : "");
	return number;
}

static int run_line(struct tc_line *line, int argc, char **argv)
{
	struct errmsg err = {0};
	int r;

	if (parse(line, argc, argv) < 0) {
		tc_usage(line->cmd);
		return TRACECMD_USAGE;
	}
	r = line->cmd->run(line, &err);
	if (r >= 0)
		return r;
	if (r == COMMAND_DONE)
		return 0;
	if (r == -EPIPE)
		return 128 + 13; /* the status as if SIGPIPE had ended us */
	return tell_error(r, &err);
}

int tracecmd_run(int argc, char **argv)
{
	for (const struct tc_command *c = tracecmd_commands; argc > 1 && c->name; c++) {
		struct tc_line line = {.cmd = c};
		size_t n = 0;
		int status;

		if (strcmp(c->name, argv[1]))
			continue;
		/* count the options: a word has at most as many as letters */
		for (int i = 0; i < argc; i++)
			n += strlen(argv[i]) + 1;
		line.words = calloc(n, sizeof(*line.words));
		if (!line.words)
			return tell_error(-ENOMEM, &(struct errmsg){0});
		status = run_line(&line, argc - 1, argv + 1);
		free(line.words);
		return status;
	}
	return tc_usage(NULL);
}
