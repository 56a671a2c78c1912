/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uftexport.h - the calls of a trace file as a uftrace.data directory, for export and as uftrace.
 */
#ifndef SONDE_CLI_CALLS_UFTEXPORT_H
#define SONDE_CLI_CALLS_UFTEXPORT_H

#include "base/errmsg.h"
#include "base/scope.h"
#include "cli/calls/callopts.h"
#include "format/bytes.h"
#include "rewrite/uftrace/uftwriter.h"

/* The functions of an opened trace; they lie in the file or in plain. -ENODATA with a message. */
int uftexport_functions(const struct callrun *run, struct textbuf *plain, struct piece *ret,
			struct errmsg *err);
/*
 * Writes the calls of an opened trace. max_depth: calls from there on are left out. n_marks: events
 * UFTEXPORT_MARK of the trace are the program's own, with these numbers.
 */
int uftexport_calls(struct callrun *run, struct uftwriter *writer, uint32_t max_depth,
		    size_t n_marks, struct errmsg *err);
#define UFTEXPORT_MARK	    "uft_%zu"
#define UFTEXPORT_MARKS_MAX 64

/* Reads the trace file path, makes the directory. Says on standard error what it wrote. */
int uftexport(const struct call_options *o, const char *path, const char *directory,
	      struct errmsg *err);

SCOPED_POINTER(struct uftwriter, uftwriter_free)

#define UFTEXPORT_FUNCTIONS_MAX (256u << 20) /* bytes of the text of functions */

#endif
