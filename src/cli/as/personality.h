/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * personality.h - the command line of another program: `sonde as NAME …`, or a link with that name
 * to sonde.
 *
 * A personality accepts the words of its program, does the same with sonde's own rooms, and prints
 * in that program's form. It is thin: tables of options that are translated for sonde's commands.
 */
#ifndef SONDE_CLI_AS_PERSONALITY_H
#define SONDE_CLI_AS_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>

struct personality {
	const char *name;
	const char *peer; /* the version of the other program, for the help text */
	/*
	 * Runs a command; argv[0] is the program's name. Prints its messages and returns the exit
	 * status.
	 */
	int (*run)(int argc, char **argv);
	/* Gets the i-th command. Returns false if there are no more. */
	bool (*command)(size_t i, const char **ret_name, const char **ret_summary);
};

extern const struct personality personalities[]; /* ended by an entry without a name */

/*
 * Finds a personality by the last part of a path, such as argv[0]. Returns NULL if there is none.
 */
const struct personality *personality_find(const char *path);

int tracecmd_run(int argc, char **argv);
bool tracecmd_command(size_t i, const char **ret_name, const char **ret_summary);
int perf_run(int argc, char **argv);
bool perf_command(size_t i, const char **ret_name, const char **ret_summary);
int strace_run(int argc, char **argv);
bool strace_command(size_t i, const char **ret_name, const char **ret_summary);
int uftrace_run(int argc, char **argv);
bool uftrace_command(size_t i, const char **ret_name, const char **ret_summary);

#endif
