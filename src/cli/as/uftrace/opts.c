// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opts.c - parses the options of uftrace 0.13: a table of rows, applied one by one.
 *
 * getopt_long() does the work, because its messages ("unrecognized option '--x'") and its rules for
 * abbreviations are part of what scripts see. It is a function with global state; only this file
 * calls it, once for each list of words.
 *
 * Three lists of words can apply to one command: the command line, --opt-file, and default.opts of
 * the directory, which the recorder wrote: filters only. The command line wins.
 */
#include "cli/as/uftrace/opts.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/files/outplace.h"
#include "base/textbuf.h"
#include "cli/as/uftrace/optwords.h"
#include "cli/screen/terminal.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARENA_MAX_BYTES (16u << 20)
#define WORDS_MAX	1024
#define OPT_FILE_MAX	(1u << 20)

void uft_opts_init(struct uft_opts *o)
{
	*o = (struct uft_opts){
		.dir = UFT_DIR_NAME,
		.depth = UFT_DEPTH_DEFAULT,
		.max_stack = UFT_STACK_DEFAULT,
		.kernel_skip_out = true,
		.column_offset = 8,
		.sort_column = 2,
		.port = 8090,
		.log = stderr,
		/*
		 * uftrace learns about the terminal after the options, and warns in colour until
		 * then
		 */
		.log_colour = true,
	};
	arena_init(&o->arena, ARENA_MAX_BYTES);
}

void uft_opts_release(struct uft_opts *o)
{
	if (o->log && o->log != stderr)
		fclose(o->log);
	arena_release(&o->arena);
}

static void log_line(const struct uft_opts *o, const char *colour, const char *head,
		     const char *fmt, va_list ap)
{
	if (o->log_colour)
		terminal_control(o->log, "%s", colour);
	fputs(head, o->log);
	vfprintf(o->log, fmt, ap);
	fputc('\n', o->log);
	if (o->log_colour)
		terminal_control(o->log, "%s", "\033[0m");
	fflush(o->log);
}

void uft_warn(const struct uft_opts *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(o, "\033[33m", "WARN: ", fmt, ap);
	va_end(ap);
}

void uft_fail(const struct uft_opts *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(o, "\033[91m", "uftrace: ERROR: ", fmt, ap);
	va_end(ap);
}

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {{"ns", 1},		 {"nsec", 1},	      {"us", 1000},	 {"usec", 1000},
	     {"ms", 1000000},	 {"msec", 1000000},   {"s", 1000000000}, {"sec", 1000000000},
	     {"m", 60000000000}, {"min", 60000000000}};

/* The fraction of a number, as many digits as count. */
static uint64_t parse_fraction(const char *digits, unsigned n_digits, uint64_t unit_ns)
{
	uint64_t value = 0, scale = 1;

	for (unsigned i = 0; i < n_digits && digits[i] >= '0' && digits[i] <= '9'; i++) {
		value = value * 10 + (digits[i] - '0');
		scale *= 10;
	}
	return value * unit_ns / scale;
}

uint64_t uft_parse_time(struct uft_opts *o, const char *text, unsigned n_digits)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0), unit_ns = 1;
	const char *fraction = *end == '.' ? end + 1 : NULL;
	size_t i;

	if (fraction)
		for (end++; *end >= '0' && *end <= '9';)
			end++;
	for (i = 0; *end && i < ARRAY_LEN(units); i++)
		if (!strcmp(end, units[i].unit))
			break;
	if (*end && i == ARRAY_LEN(units))
		uft_warn(o, "The unit '%s' isn't supported", end);
	else if (*end)
		unit_ns = units[i].ns;
	return value * unit_ns + (fraction ? parse_fraction(fraction, n_digits, unit_ns) : 0);
}

/*
 * default.opts comes with the data, which anybody may have written. It may choose functions and how
 * they are shown; a script, a file or a command would be somebody else's choice of what we run and
 * read.
 */
static bool may_come_with_data(const struct uft_option *row)
{
	static const char letters[] = "ACDEFHKLNPRTUZaefklrst";
	static const char *const names[] = {
		"demangle",	    "disable",	"event-full", "kernel-full", "kernel-only",
		"libname",	    "match",	"no-args",    "no-comment",  "no-event",
		"no-libcall",	    "no-merge", "no-sched",   "srcline",     "task",
		"no-sched-preempt", "tid",	"max-stack",  "sort-column", "column-view",
		"kernel-skip-out",
	};

	if (row->letter)
		return strchr(letters, row->letter);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(row->name, names[i]))
			return true;
	return false;
}

static void apply(struct uft_opts *o, int key, const char *value)
{
	const struct uft_option *row = uft_option_of_key(key);

	if (!row)
		return;
	if (o->in_default_opts && !may_come_with_data(row)) {
		uft_warn(o, "%s/default.opts: --%s is ignored", o->dir, row->name);
		return;
	}
	switch (row->kind) {
	case UFT_OPT_FLAG:
		*(bool *)((char *)o + row->offset) = true;
		break;
	case UFT_OPT_STRING:
		*(const char **)((char *)o + row->offset) = value;
		break;
	case UFT_OPT_LIST:
	case UFT_OPT_LIST_NOT:
		uft_list_add(o, (char **)((char *)o + row->offset),
			     row->kind == UFT_OPT_LIST_NOT ? "!" : "", value);
		break;
	case UFT_OPT_CALL:
		row->apply(o, value);
		break;
	}
}

/* Parses argv from its second word on. Returns the index of the first word that is no option. */
static int parse_words(struct uft_opts *o, int argc, char **argv, bool takes_command)
{
	char letters[160];
	struct option *longs = uft_options_for_getopt(&o->arena, letters, sizeof(letters));
	int key;

	optind = 0;
	while (longs) {
		key = getopt_long(argc, argv, letters, longs, NULL);
		if (key == -1 && takes_command && !o->command && optind < argc &&
		    uft_is_command(argv[optind])) {
			o->command = argv[optind++];
			continue;
		}
		if (key == -1 || key == '?')
			break;
		apply(o, key, optarg);
		if (o->show_help || o->show_usage || o->show_version)
			break;
	}
	return optind;
}

/* Splits a text into words, as a shell does with quotes. Returns their number. */
static int split_words(struct uft_opts *o, const char *text, char ***ret)
{
	char **words = arena_alloc_array(&o->arena, WORDS_MAX + 1, sizeof(*words));
	char *copy = arena_strndup(&o->arena, text, strlen(text)), *to = copy;
	int n = 0;

	if (!words || !copy)
		return 0;
	words[n++] = (char *)"uftrace";
	for (const char *s = text; *s && n < WORDS_MAX;) {
		char quote = 0;

		s += strspn(s, " \t\n");
		if (!*s)
			break;
		words[n++] = to;
		for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
			if (quote ? *s == quote : *s == '"' || *s == '\'')
				quote = quote ? 0 : *s;
			else
				*to++ = *s;
		}
		if (*s)
			s++;
		*to++ = 0;
	}
	*ret = words;
	return n;
}

void uft_opts_add_text(struct uft_opts *o, const char *text)
{
	char **words;
	int n = split_words(o, text, &words);

	o->in_default_opts = true;
	if (n > 1)
		parse_words(o, n, words, false);
	o->in_default_opts = false;
}

/* --opt-file: its words come before those of the command line, which are applied again. */
static int parse_opt_file(struct uft_opts *o, int *ret_status)
{
	SCOPED(fclose_scoped) FILE *f = fopen(o->opt_file, "r");
	SCOPED(scope_free) char *text = calloc(1, OPT_FILE_MAX);
	char **words;
	int n;

	if (!f || !text) {
		printf("Usage: Cannot use opt-file: %s: %s\n", o->opt_file, strerror(errno));
		*ret_status = 0;
		return -1;
	}
	if (!fread(text, 1, OPT_FILE_MAX - 1, f))
		return 0;
	n = split_words(o, text, &words);
	if (n > 1)
		parse_words(o, n, words, true);
	return 0;
}

static int open_log(struct uft_opts *o, int *ret_status)
{
	struct errmsg err = {0};
	int fd = outplace_open_file(o->logfile, OUTPLACE_WRITE, &err);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		if (fd >= 0)
			close(fd);
		uft_fail(o, "cannot open log file: %s",
			 strerror(fd < 0 ? -errmsg_code(&err) : errno));
		*ret_status = 1;
		return -1;
	}
	o->log = f;
	return 0;
}

int uft_opts_parse(struct uft_opts *o, int argc, char **argv, int *ret_status)
{
	int at = parse_words(o, argc, argv, true);

	if (o->opt_file && parse_opt_file(o, ret_status) < 0)
		return -1;
	if (o->logfile && open_log(o, ret_status) < 0)
		return -1;
	o->log_colour = o->colour == UFT_ON || (o->colour == UFT_AUTO && isatty(fileno(o->log)));
	return at;
}
