/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * personality.h - another program's command line: `sonde as NAME …`, or a link called NAME to sonde.
 *
 * A personality takes the words that its program takes, does the same with sonde's own rooms, and speaks
 * in that program's form. It is thin: tables of options, mapped onto sonde's commands.
 */
#ifndef SONDE_CLI_AS_PERSONALITY_H
#define SONDE_CLI_AS_PERSONALITY_H

struct personality {
	const char *name;
	/* argv[0] is the program's name. Returns the exit status; has printed what there is to say. */
	int (*run)(int argc, char **argv);
};

/* By the last part of a path, as argv[0] has it. NULL: there is none. */
const struct personality *personality_find(const char *path);

int tracecmd_run(int argc, char **argv);
int perf_run(int argc, char **argv);

#endif
