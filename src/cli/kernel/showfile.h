/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * showfile.h - prints files of the tracing directory, for the commands that do little else.
 */
#ifndef SONDE_CLI_KERNEL_SHOWFILE_H
#define SONDE_CLI_KERNEL_SHOWFILE_H

#include "capture/tracefs/copy.h"

struct textbuf;

#define SHOWFILE_MAX_BYTES (64u << 20)

/* The whole file, through the pager on a terminal; missing says what a kernel without it lacks. */
int showfile_print(const struct tracefs *t, const char *instance, const char *file,
		   const char *missing, struct errmsg *err);

/* What comes out of a pipe (trace_pipe), at once and until it ends or a signal ends us. */
int showfile_follow(const struct tracefs *t, const char *instance, const char *file,
		    struct errmsg *err);

/* A text, through the pager on a terminal. */
int showfile_print_text(const struct textbuf *tb, struct errmsg *err);

#endif
