/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftexport.h - the calls of a trace file as a uftrace.data directory, for export and as uftrace.
 */
#ifndef SONDE_CLI_CALLS_UFTEXPORT_H
#define SONDE_CLI_CALLS_UFTEXPORT_H

#include "base/errmsg.h"
#include "cli/calls/callopts.h"

/* Reads the trace file path, makes the directory. Says on standard error what it wrote. */
int uftexport(const struct call_options *o, const char *path, const char *directory,
	      struct errmsg *err);

#endif
