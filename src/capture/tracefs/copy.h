/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy.h - a file of the tracing directory, piece by piece, for who shows it.
 */
#ifndef SONDE_CAPTURE_TRACEFS_COPY_H
#define SONDE_CAPTURE_TRACEFS_COPY_H

#include "capture/tracefs/tracefs.h"

/* A descriptor, for the caller to close. missing: what a kernel without the file lacks; NULL: the error says it. */
int tracefs_copy_open(const struct tracefs *t, const char *instance, const char *file,
		      const char *missing, struct errmsg *err);

/*
 * Hands out what the file holds; a pipe until it ends. ahead: in large pieces, if nobody waits for the first lines. write
 * returns 0, 1 (that is enough), or negative, which is the result.
 */
int tracefs_copy(const struct tracefs *t, const char *instance, const char *file, int fd,
		 bool ahead, int (*write)(void *ctx, const char *text, size_t len), void *ctx,
		 struct errmsg *err);

/* "per_cpu/cpuN/FILE" in buf of TRACEFS_PATH_MAX bytes, or FILE if cpu is NULL. */
int tracefs_fmt_cpu_file(const struct tracefs *t, const char *cpu, const char *file, char *buf,
			 struct errmsg *err);

/* -ENOENT: the directory has no such file; names the nearest. */
int tracefs_refuse_name(const struct tracefs *t, const char *instance, const char *file,
			struct errmsg *err);

#endif
