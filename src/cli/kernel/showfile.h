/* SPDX-License-Identifier: GPL-2.0-or-later */
/* showfile.h - prints files of the tracing directory. */
#ifndef SONDE_CLI_KERNEL_SHOWFILE_H
#define SONDE_CLI_KERNEL_SHOWFILE_H

#include "capture/tracefs/copy.h"

struct textbuf;

#define SHOWFILE_MAX_BYTES (64u << 20)

/*
 * Prints the whole file, through the pager on a terminal. missing names what a kernel without the
 * file lacks.
 */
int showfile_print(const struct tracefs *t, const char *instance, const char *file,
		   const char *missing, struct errmsg *err);

/* Prints the text of a pipe (trace_pipe) at once, until it ends or a signal ends us. */
int showfile_follow(const struct tracefs *t, const char *instance, const char *file,
		    struct errmsg *err);

/* Prints a text, through the pager on a terminal. */
int showfile_print_text(const struct textbuf *tb, struct errmsg *err);

#endif
