/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outfile.h - a file that appears whole or not at all.
 *
 * What is written goes to a nameless (or, where the file system has none, a hidden) file beside the
 * target; outfile_commit() gives it the target's name. Until then, and on every failure, whatever was
 * there under that name stays as it is. The file is for its owner only (outplace.h). Writing goes forward only; outfile_patch() changes bytes that
 * were written before.
 *
 * The first failure sticks: every later call returns it and does nothing, and outfile_commit() says
 * it in a sentence. One owner.
 */
#ifndef SONDE_STORE_OUTFILE_H
#define SONDE_STORE_OUTFILE_H

#include <stddef.h>
#include <stdint.h>

struct errmsg;
struct outfile;
struct outplace;

/* -EISDIR, -EACCES, -ENOENT …, -ESPIPE for a device or pipe; the sentence names path. */
int outfile_open(struct outfile **ret_file, const char *path, struct errmsg *err);

/*
 * A file that exists, to change it in place; it keeps its name and what is not written over. place is open
 * (OUTPLACE_UPDATE) and belongs to the outfile from then on, if that succeeds.
 */
int outfile_reopen(struct outfile **ret_file, const char *path, struct outplace *place,
		   struct errmsg *err);

int outfile_write(struct outfile *f, const void *data, size_t n_bytes);
/* Leaves a hole of zeros. */
int outfile_skip(struct outfile *f, uint64_t n_bytes);
int outfile_patch(struct outfile *f, uint64_t pos, const void *data, size_t n_bytes);
/* Where the next byte goes. */
uint64_t outfile_pos(const struct outfile *f);

/* What waits in memory goes to the file. */
int outfile_flush(struct outfile *f);
/* The next byte goes to pos; for a file that is made of several places. */
int outfile_seek(struct outfile *f, uint64_t pos);

/*
 * Gives the file its name now, in place of what was there, and leaves it open: for a file that grows
 * where everybody can see it. From then on outfile_free() only closes it. The descriptor stays f's.
 */
int outfile_publish(struct outfile *f, struct errmsg *err);
int outfile_fd(const struct outfile *f);

/* Takes the file out of the writer's hands: it has its name, or err says why not. Frees f. */
int outfile_commit(struct outfile *f, struct errmsg *err);
/* Fills err with the failure that stuck, and returns it; 0 if there was none. */
int outfile_failure(const struct outfile *f, struct errmsg *err);
/* Forgets everything that was written. f may be NULL. */
void outfile_free(struct outfile *f);

#endif
