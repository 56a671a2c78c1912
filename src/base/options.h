/* SPDX-License-Identifier: LGPL-2.1-or-later */
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

/*
 * The rows of a table, one for each kind. Letter 0 and NULL: none. More fields may follow:
 *	ROW_STRING('i', "input", "FILE", "read this file", AT(input), .complete = "file"),
 */
#define ROW_VALUE(KIND, LETTER, NAME, ARG, HELP, AT, ...)                                         \
	{                                                                                         \
		.kind = (KIND), .letter = (LETTER), .name = (NAME), .arg = (ARG), .help = (HELP), \
		.offset = (AT), __VA_ARGS__                                                       \
	}
#define ROW_FLAG(LETTER, NAME, ...) ROW_VALUE(OPTION_FLAG, LETTER, NAME, NULL, __VA_ARGS__)
#define ROW_STRING(...)		    ROW_VALUE(OPTION_STRING, __VA_ARGS__)
#define ROW_NUMBER(...)		    ROW_VALUE(OPTION_NUMBER, __VA_ARGS__)
#define ROW_CALL(LETTER, NAME, ARG, HELP, APPLY, ...) \
	ROW_VALUE(OPTION_CALL, LETTER, NAME, ARG, HELP, 0, .apply = (APPLY), __VA_ARGS__)
#define ROW_HEADING(TEXT)	 ROW_VALUE(OPTION_HEADING, 0, NULL, NULL, TEXT, 0)
#define ROW_END			 ROW_VALUE(OPTION_END, 0, NULL, NULL, NULL, 0)

#define OPTIONS_STOP_AT_ARGUMENT 1

/*
 * Applies the options of argv[1..], moves the remaining arguments to argv[1..] in order, and
 * returns their number. For a bad option, returns a negative errno with a message in err. `-h` and
 * `--help` set *ret_help if the table has no row for them.
 */
int options_parse(const struct option_row *rows, void *opts, int argc, char **argv, int flags,
		  bool *ret_help, struct errmsg *err);

/* Formats the rows as indented help text in two columns. */
void options_fmt_help(const struct option_row *rows, struct textbuf *tb);

/* Formats the rows as .TP paragraphs of a man page. */
void options_fmt_man(const struct option_row *rows, struct textbuf *tb);

#endif
