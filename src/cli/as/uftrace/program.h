/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * program.h - the program that `uftrace record` runs: where it is, and whether its compiler has put
 * calls into its functions.
 */
#ifndef SONDE_CLI_AS_UFTRACE_PROGRAM_H
#define SONDE_CLI_AS_UFTRACE_PROGRAM_H

#include "cli/as/uftrace/opts.h"

enum uft_program_kind {
	UFT_PROGRAM_PLAIN,
	UFT_PROGRAM_COUNTED, /* -pg, -mfentry */
	UFT_PROGRAM_CYG,     /* -finstrument-functions */
};

/* Finds the program as a shell does. False after uftrace's message. */
bool uft_program_check(const struct uft_opts *o, const char *name, char *path, size_t n_bytes,
		       enum uft_program_kind *ret_kind);

#endif
