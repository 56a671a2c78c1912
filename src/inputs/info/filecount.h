/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filecount.h - counts the events in a trace file.
 *
 * The kernel's statistics include all readers of a buffer since it was last cleared, so they do not
 * describe one file. The numbers that sonde reports about a file are counted here.
 */
#ifndef SONDE_INPUTS_INFO_FILECOUNT_H
#define SONDE_INPUTS_INFO_FILECOUNT_H

#include "inputs/info/info.h"
#include "store/tracefile.h"

#include <stddef.h>

struct filecount {
	uint64_t n_events;
	/* events lost before an event of the file, as far as the kernel counted them */
	uint64_t n_missed;
	bool has_gaps; /* events were lost, counted or not */
};

/* Processes the counts. Its result becomes the result of filecount_walk(). */
typedef int64_t filecount_use(void *ctx, const struct tracefile *tf,
			      const struct info_counts *counts);

/*
 * All functions take an open descriptor, because the name may belong to another file now. If fd is
 * negative, they open the file by its name, if it is a regular file.
 */

/*
 * Counts all events and passes the counts to use(). Returns a negative errno if the file cannot be
 * read.
 */
int64_t filecount_walk(int fd, const char *path, filecount_use *use, void *ctx);

/* Returns 0, or a negative errno if the file cannot be read. */
int filecount_read(int fd, const char *path, struct filecount *ret);

/* Writes "13 events". */
#define FILECOUNT_WORDS_BYTES 40
const char *filecount_words(uint64_t n, char *buf);

/* "0.9 MB" */
const char *filecount_size(uint64_t n_bytes, char *buf, size_t n_buf);
/* Returns the size of a file, or 0 if there is none. */
uint64_t filecount_bytes(int fd, const char *path);

#endif
