/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filecount.h - how many events a trace file holds, counted in the file itself.
 *
 * The kernel's statistics count every reader of a buffer since it was last cleared, so they say
 * nothing about one file. What we tell the user about a file is counted here.
 */
#ifndef SONDE_INPUTS_INFO_FILECOUNT_H
#define SONDE_INPUTS_INFO_FILECOUNT_H

#include "inputs/info/info.h"
#include "store/tracefile.h"

#include <stddef.h>

struct filecount {
	uint64_t n_events;
	uint64_t n_missed; /* lost before an event of the file, as far as the kernel counted them */
	bool has_gaps;	   /* something was lost, counted or not */
};

/* Takes what was counted; its result is that of filecount_walk(). */
typedef int64_t filecount_use(void *ctx, const struct tracefile *tf,
			      const struct info_counts *counts);

/*
 * All take an open descriptor of the file, where the name may lead to another one by now. Negative: the file is opened
 * by its name, if it is an ordinary one.
 */

/* Counts everything and gives it to use(). Negative if the file cannot be read. */
int64_t filecount_walk(int fd, const char *path, filecount_use *use, void *ctx);

/* 0, or negative if the file cannot be read. */
int filecount_read(int fd, const char *path, struct filecount *ret);

/* "13 events" */
#define FILECOUNT_WORDS_BYTES 40
const char *filecount_words(uint64_t n, char *buf);

/* "0.9 MB" */
const char *filecount_size(uint64_t n_bytes, char *buf, size_t n_buf);
/* … of a file; 0 bytes if there is none. */
uint64_t filecount_bytes(int fd, const char *path);

#endif
