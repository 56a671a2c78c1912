/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracecmd_int.h - what the files of the trace-cmd personality share: commands as rows, the words of a
 * command line once they are understood, and the way an error looks.
 */
#ifndef SONDE_CLI_AS_TRACECMD_INT_H
#define SONDE_CLI_AS_TRACECMD_INT_H

#include "base/errmsg.h"
#include "capture/tracefs/tracefs.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct command;

#define TRACECMD_VERSION "3.1.6"
#define TRACECMD_USAGE	 255 /* exit status after a usage text, and of an error without a number */

#define TC_STACK_SWITCH	 "/proc/sys/kernel/stack_tracer_enabled"

/* `to`, what an option becomes for sonde's command: NULL, the same; TC_DROP, nothing. */
#define TC_DROP		 ""

struct tc_option {
	char letter;
	const char *name;
	char arg; /* 0, ':' has a value, '?' may have one */
	const char *to;
	const char *help; /* NULL: in no usage text */
};

/* An option as it stood in the command line. */
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
	const char *synopsis; /* what follows the name in the usage text */
	const struct tc_option *options;
	bool at_first; /* options only before the first argument */
	/* The exit status, or a negative errno with a sentence. */
	int (*run)(struct tc_line *line, struct errmsg *err);
	const struct command *same; /* tc_run_same(): sonde's command that takes the words */
	const char *first_word;	    /* tc_run_same(): put before them */
	bool by_hand;		    /* run() looks at all words itself: they are args */
};

extern const struct tc_command tracecmd_commands[]; /* ended by one without a name */

/* A usage text on standard output; returns TRACECMD_USAGE. c may be NULL. */
int tc_usage(const struct tc_command *c);

/* The value of an option that was given, its last one; NULL if it was not. */
const char *tc_value(const struct tc_line *line, char letter);
bool tc_has(const struct tc_line *line, char letter, const char *name);

/* The words for sonde's command, a heap array ended by NULL; its strings are not the caller's. */
char **tc_words(const struct tc_line *line, const char *const *more, int *ret_argc);
/* Runs sonde's command with these words; more, ended by NULL, come first. */
int tc_run_command(const struct tc_line *line, const struct command *cmd, const char *const *more,
		   struct errmsg *err);

/* Copies a file of the tracing directory to standard output. */
int tc_print_file(const struct tracefs *t, const char *instance, const char *file,
		  struct errmsg *err);
/* A file without the blanks at both ends; the caller frees *ret_heap. NULL: it cannot be read. */
const char *tc_read(const struct tracefs *t, const char *instance, const char *file,
		    char **ret_heap);

/* A directory in the order in which the kernel has it, as trace-cmd shows it. NULL: there is none. */
DIR *tc_open_directory(const struct tracefs *t, const char *instance, const char *dir);
/* Its next directory; NULL at the end. */
const char *tc_next_directory(DIR *dir);

/*
 * Switches off what traces (tracer, events with filters, pids) and empties the buffer; sizes, clock,
 * options, triggers and function filters stay.
 */
int tc_switch_off(const struct tracefs *t, const char *instance, struct errmsg *err);

int tc_run_same(struct tc_line *line, struct errmsg *err);
int tc_run_help(struct tc_line *line, struct errmsg *err);
/* tracecmd_control.c */
int tc_run_stop(struct tc_line *line, struct errmsg *err);
int tc_run_restart(struct tc_line *line, struct errmsg *err);
int tc_run_clear(struct tc_line *line, struct errmsg *err);
int tc_run_reset(struct tc_line *line, struct errmsg *err);
int tc_run_show(struct tc_line *line, struct errmsg *err);
int tc_run_snapshot(struct tc_line *line, struct errmsg *err);
int tc_run_stack(struct tc_line *line, struct errmsg *err);
/* tracecmd_stat.c, tracecmd_list.c */
void tc_print_options(const struct tracefs *t, const char *instance, const char *before);
int tc_run_stat(struct tc_line *line, struct errmsg *err);
int tc_run_list(struct tc_line *line, struct errmsg *err);
/* tracecmd_start.c, tracecmd_record.c */
int tc_run_start(struct tc_line *line, struct errmsg *err);
int tc_run_set(struct tc_line *line, struct errmsg *err);
int tc_run_record(struct tc_line *line, struct errmsg *err);
int tc_run_extract(struct tc_line *line, struct errmsg *err);
int tc_run_stream(struct tc_line *line, struct errmsg *err);
int tc_run_profile(struct tc_line *line, struct errmsg *err);
/* tracecmd_file.c */
int tc_run_report(struct tc_line *line, struct errmsg *err);
int tc_run_hist(struct tc_line *line, struct errmsg *err);
int tc_run_options(struct tc_line *line, struct errmsg *err);
int tc_run_check_events(struct tc_line *line, struct errmsg *err);

#endif
