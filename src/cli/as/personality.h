/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * personality.h - another program's command line: `sonde as NAME …`, or a link called NAME to sonde.
 *
 * A personality takes the words that its program takes, does the same with sonde's own rooms, and speaks
 * in that program's form. It is thin: tables of options, mapped onto sonde's commands.
 */
#ifndef SONDE_CLI_AS_PERSONALITY_H
#define SONDE_CLI_AS_PERSONALITY_H

#include <stdbool.h>
#include <stddef.h>

struct personality {
	const char *name;
	const char *peer; /* which version it follows, for the help text */
	/* argv[0] is the program's name. Returns the exit status; has printed what there is to say. */
	int (*run)(int argc, char **argv);
	/* Its commands, one by one. False: there are no more. */
	bool (*command)(size_t i, const char **ret_name, const char **ret_summary);
};

extern const struct personality personalities[]; /* ended by one without a name */

/* By the last part of a path, as argv[0] has it. NULL: there is none. */
const struct personality *personality_find(const char *path);

int tracecmd_run(int argc, char **argv);
bool tracecmd_command(size_t i, const char **ret_name, const char **ret_summary);
int perf_run(int argc, char **argv);
bool perf_command(size_t i, const char **ret_name, const char **ret_summary);

#endif
