/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strace_int.h - what the files of `sonde as strace` share. */
#ifndef SONDE_CLI_AS_STRACE_STRACE_INT_H
#define SONDE_CLI_AS_STRACE_STRACE_INT_H

#include "cli/trace/traceopts.h"
#include "present/syscalls/stracetable.h"
#include "symbols/syscalls/choice.h"

#include <stdio.h>

struct strace {
	struct traceopts o;
	const char *output;
	FILE *reader; /* of -o '|COMMAND' */
	bool follow, separately, append, quiet;
	int first_arg; /* of the command in argv */
	/* -e raw=, abbrev=, verbose=: of 64-bit calls */
	uint64_t raw[SYSCALLCHOICE_WORDS], unabbreviated[SYSCALLCHOICE_WORDS],
		pointers[SYSCALLCHOICE_WORDS];
	struct stracetable_columns columns; /* -U */
};

#define STRACE_DONE 1 /* -h, -V: the text is printed */

/* Reads the options. Returns 0, STRACE_DONE, or a negative errno with its text in err. */
int strace_parse(struct strace *s, int argc, char **argv, struct errmsg *err);

/* -ff: divides the lines of `text`, which begin with a pid, into files named prefix.PID. */
int strace_separate(const char *text, size_t len, const char *prefix, struct errmsg *err);

#endif
