/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h - command line options as rows of a table.
 *
 * A command declares an array of `struct option_row` next to its code, ended by a row of kind
 * OPTION_END. Parsing, --help, the man page's OPTIONS section and shell completion all come from
 * it.
 *
 * The words are parsed as in getopt_long(): -a -b as -ab, -iFILE or -i FILE, --name=X or --name X,
 * any unambiguous prefix of a long name, `--` ends the options. Options may be mixed with arguments
 * unless the command sets OPTIONS_STOP_AT_ARGUMENT. Rows are applied in the order of the command
 * line, so an OPTION_CALL can see what came before it.
 */
#ifndef SONDE_BASE_OPTIONS_H
#define SONDE_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct errmsg;
struct textbuf;

enum option_kind {
	OPTION_END,
	OPTION_HEADING, /* only `help`: a heading for the next rows */
	OPTION_FLAG,	/* sets the bool at offset */
	OPTION_STRING,	/* const char * at offset */
	OPTION_NUMBER,	/* long long at offset, base 10 or 0x */
	OPTION_CALL,	/* apply(); value is NULL if the row has no arg or it was omitted */
};

struct option_row {
	enum option_kind kind;
	char letter;	  /* 0: none */
	const char *name; /* long name, NULL: none */
	const char *arg;  /* name of the value in help texts; NULL: takes none */
	const char *help; /* one line, lower case, no full stop */
	size_t offset;
	int (*apply)(void *opts, const char *value, struct errmsg *err);
	bool arg_optional;    /* -X[VALUE], --name[=VALUE] */
	bool hidden;	      /* accepted, but not in help texts */
	const char *complete; /* completes the value: "file", "dir" or a list of words */
};

#define OPTIONS_STOP_AT_ARGUMENT 1

/*
 * Applies argv[1..]; the remaining arguments are moved to argv[1..] in order and their number is
 * returned. Negative with a message in err for a bad option. `-h` and `--help` set *ret_help if the
 * table has no row for them.
 */
int options_parse(const struct option_row *rows, void *opts, int argc, char **argv, int flags,
		  bool *ret_help, struct errmsg *err);

/* The rows as indented help text, two columns. */
void options_fmt_help(const struct option_row *rows, struct textbuf *tb);

/* The rows as .TP paragraphs of a man page. */
void options_fmt_man(const struct option_row *rows, struct textbuf *tb);

#endif
