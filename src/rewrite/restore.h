/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h - makes a complete trace from the remains of a recording.
 *
 *	trace.dat.cpu0 trace.dat.cpu1     raw sub-buffers of each CPU, with event formats from a
 *	                                  description of the kernel, or from a partial trace
 *	trace.dat                         a truncated or damaged trace: all its undamaged data
 */
#ifndef SONDE_REWRITE_RESTORE_H
#define SONDE_REWRITE_RESTORE_H

#include "format/bytes.h"
#include "rewrite/notes.h"
#include "store/tracefile.h"

struct errmsg;

/* A trace's description of its kernel. The caller owns it. */
struct restore_kernel {
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const char *clocks;	/* "[local] global …", "" if unknown */
	const char *clock_name; /* "local", "" if unknown */
	const char *uname;
	uint32_t page_size;
	uint8_t long_size, data_offset;
};

struct restore_config {
	const char *output;
	/*
	 * Reads the description of a kernel. This room must not use capture, so the caller reads it
	 * on demand. Its data must stay valid until the restore is done.
	 */
	int (*describe)(void *ctx, struct restore_kernel *ret, struct errmsg *err);
	void *ctx;
	struct rewrite_notes notes;
};

/* Returns true if the file begins like a trace. */
bool restore_is_trace(const char *path);

/* Writes a partial trace: only the description of the kernel. */
int restore_partial(const struct restore_config *config, struct errmsg *err);
/*
 * Restores from files of CPUs. partial: a partial trace, whose description is used; NULL: use
 * describe().
 */
int restore_cpu_files(const struct restore_config *config, const char *partial, size_t n_paths,
		      char *const *paths, struct errmsg *err);
int restore_trace(const struct restore_config *config, const char *path, struct errmsg *err);

#endif
