/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * restore.h - a whole trace out of what a recording left behind.
 *
 *	trace.dat.cpu0 trace.dat.cpu1     raw sub-buffers of each CPU; what they mean is taken from a
 *	                                  description of the kernel, or from a partial trace
 *	trace.dat                         one that is cut off or damaged: everything sound in it
 */
#ifndef SONDE_REWRITE_RESTORE_H
#define SONDE_REWRITE_RESTORE_H

#include "format/bytes.h"
#include "rewrite/notes.h"
#include "store/tracefile.h"

struct errmsg;

/* What a trace says about its kernel. The caller owns it. */
struct restore_kernel {
	struct piece texts[TRACEFILE_TEXT_KINDS];
	const char *clocks;	/* "[local] global …", "" if not known */
	const char *clock_name; /* "local", "" if not known */
	const char *uname;
	uint32_t page_size;
	uint8_t long_size, data_offset;
};

struct restore_config {
	const char *output;
	/*
	 * Reads the description of a kernel. This room does not meet capture, so the caller does it,
	 * when it is needed; what it points at stays until the restore is done.
	 */
	int (*describe)(void *ctx, struct restore_kernel *ret, struct errmsg *err);
	void *ctx;
	struct rewrite_notes notes;
};

/* Does the file begin as a trace does? */
bool restore_is_trace(const char *path);

/* Only the description of the kernel: a partial trace. */
int restore_partial(const struct restore_config *config, struct errmsg *err);
/* partial: a partial trace, whose description is taken; NULL: describe(). */
int restore_cpu_files(const struct restore_config *config, const char *partial, size_t n_paths,
		      char *const *paths, struct errmsg *err);
int restore_trace(const struct restore_config *config, const char *path, struct errmsg *err);

#endif
