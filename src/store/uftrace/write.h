/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write.h - makes a uftrace.data directory that uftrace 0.13 reads.
 *
 *	uftwriter_open ─▶ uftwriter_file (task.txt, TID.dat, …), uftwriter_info ─▶ uftwriter_close
 */
#ifndef SONDE_STORE_UFTRACE_WRITE_H
#define SONDE_STORE_UFTRACE_WRITE_H

#include "base/files/outplace.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct errmsg;

struct uftwriter {
	struct outplace dir;
	const char *path;
};

/* What the info file says. Texts may be NULL. */
struct uftwriter_info {
	uint64_t features; /* enum uft_feature */
	const char *exename, *cmdline, *record_date, *elapsed;
	int exit_status; /* as wait() has it */
	const int *tids;
	size_t n_tids;
};

/* Makes the directory. -EEXIST with a message if there is one. Close it on failure, too. */
int uftwriter_open(struct uftwriter *w, const char *path, struct errmsg *err);
/* A new file of the directory, for fclose(); NULL with a message. */
FILE *uftwriter_file(struct uftwriter *w, const char *name, struct errmsg *err);
int uftwriter_info(struct uftwriter *w, const struct uftwriter_info *info, struct errmsg *err);
/* fclose() with a message if something could not be written. */
int uftwriter_end_file(struct uftwriter *w, FILE *f, const char *name, struct errmsg *err);
void uftwriter_close(struct uftwriter *w);

#endif
