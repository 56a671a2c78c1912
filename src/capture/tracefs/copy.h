/* SPDX-License-Identifier: GPL-2.0-or-later */
/* copy.h - copies a file of the tracing directory piece by piece, for printing. */
#ifndef SONDE_CAPTURE_TRACEFS_COPY_H
#define SONDE_CAPTURE_TRACEFS_COPY_H

#include "capture/tracefs/tracefs.h"

/*
 * Returns a descriptor, which the caller closes. missing: the feature that a kernel without the
 * file lacks; NULL: the error says it.
 */
int tracefs_copy_open(const struct tracefs *t, const char *instance, const char *file,
		      const char *missing, struct errmsg *err);

/*
 * Calls write for each piece of the file; a pipe is read until it ends. ahead: use large pieces,
 * because nobody waits for the first lines. write returns 0, 1 (stop here), or a negative value,
 * which becomes the result.
 */
int tracefs_copy(const struct tracefs *t, const char *instance, const char *file, int fd,
		 bool ahead, int (*write)(void *ctx, const char *text, size_t len), void *ctx,
		 struct errmsg *err);

/* Formats "per_cpu/cpuN/FILE", or FILE if cpu is NULL, into buf of TRACEFS_PATH_MAX bytes. */
int tracefs_fmt_cpu_file(const struct tracefs *t, const char *cpu, const char *file, char *buf,
			 struct errmsg *err);

/* Sets the error for a file that does not exist, and names the nearest file. Returns -ENOENT. */
int tracefs_refuse_name(const struct tracefs *t, const char *instance, const char *file,
			struct errmsg *err);

#endif
