/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpufiles.h - the files of CPUs that a recording left behind, trace.dat.cpu0 and so on: raw
 * sub-buffers, written as the buffers of a new trace.
 */
#ifndef SONDE_REWRITE_CPUFILES_H
#define SONDE_REWRITE_CPUFILES_H

#include "base/files/mapfile.h"
#include "rewrite/notes.h"

#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct writer;

struct cpu_file {
	const char *path;
	uint32_t cpu;
	size_t stem_len;      /* of the path before ".cpuN" */
	const char *instance; /* points into `names` */
	struct mapfile map;
};

struct cpu_files {
	struct cpu_file *files; /* by instance and CPU */
	size_t n;
	char **names; /* of instances: [0] is "" */
	size_t n_names;
};

/* How the machine that wrote them lays out a sub-buffer. */
struct cpu_files_layout {
	bool swap, big_endian;
	uint8_t long_size, data_offset;
	uint32_t page_size;
};

/* *cf must be zeroed, and closed also if this fails. The paths must stay. */
int cpu_files_open(struct cpu_files *cf, size_t n, char *const *paths, struct errmsg *err);
void cpu_files_close(struct cpu_files *cf);
/* The highest CPU + 1. */
uint32_t cpu_files_count(const struct cpu_files *cf);
/*
 * Announces and writes a buffer for each instance. clock: NULL if not known. Damaged sub-buffers keep
 * their whole events; a note says so.
 */
int cpu_files_write(const struct cpu_files *cf, struct writer *w, const char *clock,
		    const struct cpu_files_layout *layout, const struct rewrite_notes *notes,
		    struct errmsg *err);

#endif
