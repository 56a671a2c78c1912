/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftrace.h - the commands of `sonde as uftrace`. Each is a row of the table in uftrace.c.
 *
 * A command gets the parsed options and the words after them (argv[0] is the first of them), prints
 * its messages, and returns the exit status.
 */
#ifndef SONDE_CLI_AS_UFTRACE_UFTRACE_H
#define SONDE_CLI_AS_UFTRACE_UFTRACE_H

#include "cli/as/uftrace/opts.h"

struct uft_command {
	const char *name, *summary;
	int (*run)(struct uft_opts *o, int argc, char **argv);
};

extern const struct uft_command uft_commands[]; /* ended by one without a name */
const struct uft_command *uft_command_find(const char *name);

int uft_record(struct uft_opts *o, int argc, char **argv);
/* The same for a command that reads o->dir with the same filters. */
int uft_record_into(struct uft_opts *o, int argc, char **argv);
int uft_script(struct uft_opts *o, int argc, char **argv);
int uft_live(struct uft_opts *o, int argc, char **argv);
int uft_replay(struct uft_opts *o, int argc, char **argv);
int uft_report(struct uft_opts *o, int argc, char **argv);
int uft_graph(struct uft_opts *o, int argc, char **argv);
int uft_dump(struct uft_opts *o, int argc, char **argv);
int uft_recv(struct uft_opts *o, int argc, char **argv);
int uft_info(struct uft_opts *o, int argc, char **argv);

#define UFT_FAILED 255 /* uftrace's commands return -1 */

#endif
