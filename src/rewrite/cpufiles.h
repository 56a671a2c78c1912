/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpufiles.h - files that a recording left for each CPU (trace.dat.cpu0 and so on): raw
 * sub-buffers, which become the buffers of a new trace.
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
	size_t stem_len;      /* length of the path before ".cpuN" */
	const char *instance; /* points into `names` */
	struct mapfile map;
};

struct cpu_files {
	struct cpu_file *files; /* sorted by instance and CPU */
	size_t n;
	char **names; /* names of instances; [0] is "" */
	size_t n_names, cap_names;
};

/* The layout of sub-buffers on the machine that wrote them. */
struct cpu_files_layout {
	bool swap, big_endian;
	uint8_t long_size, data_offset;
	uint32_t page_size;
};

/*
 * Opens the files. *cf must be zeroed, and must be closed even after a failure. The paths must stay
 * valid.
 */
int cpu_files_open(struct cpu_files *cf, size_t n, char *const *paths, struct errmsg *err);
void cpu_files_close(struct cpu_files *cf);
/* Returns the highest CPU + 1. */
uint32_t cpu_files_count(const struct cpu_files *cf);
/*
 * Announces and writes a buffer for each instance. clock: NULL if unknown. Damaged sub-buffers keep
 * their complete events; a note reports them.
 */
int cpu_files_write(const struct cpu_files *cf, struct writer *w, const char *clock,
		    const struct cpu_files_layout *layout, const struct rewrite_notes *notes,
		    struct errmsg *err);

#endif
