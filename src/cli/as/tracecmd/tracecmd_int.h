/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecmd_int.h - declarations that the files of the trace-cmd personality share: rows of
 * commands, the parsed words of a command line, and the form of errors.
 */
#ifndef SONDE_CLI_AS_TRACECMD_TRACECMD_INT_H
#define SONDE_CLI_AS_TRACECMD_TRACECMD_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/tracefs.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct command;

#define TRACECMD_VERSION "3.1.6"
/* exit status after a usage text, and after an error without a number */
#define TRACECMD_USAGE	 255

#define TC_STACK_SWITCH	 "/proc/sys/kernel/stack_tracer_enabled"

/* `to` is the option of sonde's command: NULL means the same option, TC_DROP means none. */
#define TC_DROP		 ""

struct tc_option {
	char letter;
	const char *name;
	char arg; /* 0: no value; ':': a value; '?': an optional value */
	const char *to;
	const char *help; /* NULL: not in the usage text */
};

/* An option of the command line. */
struct tc_word {
	const struct tc_option *option;
	const char *value;
};

struct tc_line {
	const struct tc_command *cmd;
	struct tc_word *words;
	size_t n_words;
	int n_args;
	char **args; /* ended by NULL */
};

struct tc_command {
	const char *name;
	const char *summary;  /* NULL: not in the list */
	const char *synopsis; /* text after the name in the usage text */
	const struct tc_option *options;
	bool at_first; /* options are accepted only before the first argument */
	/* Returns the exit status, or a negative errno with a message. */
	int (*run)(struct tc_line *line, struct errmsg *err);
	const struct command *same; /* tc_run_same(): sonde's command for these words */
	const char *first_word;	    /* tc_run_same(): a word to put before them */
	bool by_hand;		    /* run() parses all words itself, from args */
};

extern const struct tc_command tracecmd_commands[]; /* ended by an entry without a name */

/* Prints a usage text to standard output and returns TRACECMD_USAGE. c may be NULL. */
int tc_usage(const struct tc_command *c);

/* Returns the last value of an option that was given, or NULL. */
const char *tc_value(const struct tc_line *line, char letter);
bool tc_has(const struct tc_line *line, char letter, const char *name);

/*
 * Makes the words for sonde's command: an allocated array ended by NULL, whose strings do not
 * belong to the caller.
 */
char **tc_words(const struct tc_line *line, const char *const *more, int *ret_argc);
/* Runs sonde's command with these words, after the words of more, which end with NULL. */
int tc_run_command(const struct tc_line *line, const struct command *cmd, const char *const *more,
		   struct errmsg *err);

/* Copies a file of the tracing directory to standard output. */
int tc_print_file(const struct tracefs *t, const char *instance, const char *file,
		  struct errmsg *err);
/*
 * Reads a file without the blanks at both ends. The caller frees *ret_heap. Returns NULL if it
 * cannot be read.
 */
const char *tc_read(const struct tracefs *t, const char *instance, const char *file,
		    char **ret_heap);

/* Opens a directory, whose entries come in the kernel's order, as trace-cmd shows them. */
DIR *tc_open_directory(const struct tracefs *t, const char *instance, const char *dir);
/* Returns the next directory, or NULL at the end. */
const char *tc_next_directory(DIR *dir);

/*
 * Switches off tracing (tracer, events with filters, pids) and empties the buffer. Sizes, clock,
 * options, triggers and function filters stay.
 */
int tc_switch_off(const struct tracefs *t, const char *instance, struct errmsg *err);

int tc_run_same(struct tc_line *line, struct errmsg *err);
int tc_run_help(struct tc_line *line, struct errmsg *err);
/* control.c */
int tc_run_stop(struct tc_line *line, struct errmsg *err);
int tc_run_restart(struct tc_line *line, struct errmsg *err);
int tc_run_clear(struct tc_line *line, struct errmsg *err);
int tc_run_reset(struct tc_line *line, struct errmsg *err);
int tc_run_show(struct tc_line *line, struct errmsg *err);
int tc_run_snapshot(struct tc_line *line, struct errmsg *err);
int tc_run_stack(struct tc_line *line, struct errmsg *err);
/* stat.c, list.c */
void tc_print_options(const struct tracefs *t, const char *instance, const char *before);
int tc_run_stat(struct tc_line *line, struct errmsg *err);
int tc_run_list(struct tc_line *line, struct errmsg *err);
/* start.c, record.c */
int tc_run_start(struct tc_line *line, struct errmsg *err);
int tc_run_set(struct tc_line *line, struct errmsg *err);
int tc_run_record(struct tc_line *line, struct errmsg *err);
int tc_run_extract(struct tc_line *line, struct errmsg *err);
int tc_run_stream(struct tc_line *line, struct errmsg *err);
int tc_run_profile(struct tc_line *line, struct errmsg *err);
/* file.c */
int tc_run_report(struct tc_line *line, struct errmsg *err);
int tc_run_hist(struct tc_line *line, struct errmsg *err);
int tc_run_options(struct tc_line *line, struct errmsg *err);
int tc_run_check_events(struct tc_line *line, struct errmsg *err);

#endif
