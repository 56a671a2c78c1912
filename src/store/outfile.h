/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * outfile.h - a file that appears complete or not at all.
 *
 * Data goes to a nameless (or, if the file system does not support that, a hidden) file next to the
 * target; outfile_commit() gives it the target's name. Until then, and on every failure, the old
 * file of that name is unchanged. Only the owner can read the file (outplace.h). Writing goes
 * forward only; outfile_patch() changes earlier bytes.
 *
 * The first failure is sticky: every later call returns it and does nothing, and outfile_commit()
 * reports it. Only one thread may use it at a time.
 */
#ifndef SONDE_STORE_OUTFILE_H
#define SONDE_STORE_OUTFILE_H

#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct outfile;
struct outplace;

/*
 * Opens a file. Returns 0, -EISDIR, -EACCES, -ENOENT …, or -ESPIPE for a device or pipe; err names
 * path.
 */
int outfile_open(struct outfile **ret_file, const char *path, struct errmsg *err);

/*
 * Opens an existing file to change it in place; it keeps its name and everything that is not
 * overwritten. place is open (OUTPLACE_UPDATE) and, on success, belongs to the outfile.
 */
int outfile_reopen(struct outfile **ret_file, const char *path, struct outplace *place,
		   struct errmsg *err);

int outfile_write(struct outfile *f, const void *data, size_t n_bytes);
/* Writes a hole, which reads as zeros. */
int outfile_skip(struct outfile *f, uint64_t n_bytes);
int outfile_patch(struct outfile *f, uint64_t pos, const void *data, size_t n_bytes);
/* Returns the position of the next byte. */
uint64_t outfile_pos(const struct outfile *f);

/* Writes the buffered data to the file. */
int outfile_flush(struct outfile *f);
/* Sets the position of the next byte, for a file with several parts. */
int outfile_seek(struct outfile *f, uint64_t pos);

/*
 * Gives the file its name now, replacing an older file, and keeps it open. This is for a file that
 * grows visibly. After that, outfile_free() only closes it. f keeps the descriptor.
 */
int outfile_publish(struct outfile *f, struct errmsg *err);
int outfile_fd(const struct outfile *f);

/* Completes the file and gives it its name, or sets err. Frees f. */
int outfile_commit(struct outfile *f, struct errmsg *err);
/* Sets err to the sticky failure, and returns it; 0 if there was none. */
int outfile_failure(const struct outfile *f, struct errmsg *err);
/* Drops everything that was written. f may be NULL. */
void outfile_free(struct outfile *f);

#endif
