/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * livefile.h - a trace.dat that grows during the recording and can be opened at any moment.
 *
 *	livefile_open
 *	    livefile_add_text, livefile_add_option, livefile_add_section
 *	    livefile_add_buffer …          every buffer, including the top one (name "")
 *	livefile_start                     the file exists under its name, valid and empty
 *	    livefile_splice, livefile_append      by one thread for each region
 *	    livefile_flush                        regularly, by one thread
 *	livefile_finish                    the tail, the holes closed, the final directory
 *
 * Every CPU of every buffer has its own region in the file, far from the others, that grows in
 * place: data is written once. The metadata comes first. The directory is before the regions, and
 * every livefile_flush() updates it, so a recorder that dies loses at most what came after the last
 * flush. livefile_finish() closes the holes between the regions without copying if the file system
 * supports it (FALLOC_FL_COLLAPSE_RANGE), else by moving the data. If the file system does not
 * support holes, or a temporary directory is given, a region is a separate file.
 *
 * livefile_repair() completes a file of a dead recorder. The process that called livefile_start()
 * holds a lock on the file (fcntl) that keeps others from repairing it. The lock ends with the
 * process, and also if that process opens and closes the file again.
 *
 * A growing file has an apparent size of terabytes, nearly all of it holes. This code never causes
 * SIGXFSZ: it checks the limits of the process first.
 */
#ifndef SONDE_STORE_LIVE_LIVEFILE_H
#define SONDE_STORE_LIVE_LIVEFILE_H

#include "base/scope.h"
#include "format/bytes.h"
#include "store/tracefile.h"

#include <sys/types.h>

struct errmsg;
struct livefile;
struct liveregion;

struct livefile_config {
	const char *path;
	const char *temp_dir; /* NULL: regions are in the file itself */
	int version;	      /* 6 or 7 */
	enum compression compression;
	bool plain_data; /* compress only texts, not sub-buffers */
	uint8_t long_size;
	uint32_t page_size; /* size of sub-buffers of the top buffer; in version 6 of all buffers */
	uint32_t n_cpus;    /* CPUs of the machine */
};

struct livefile_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: unknown */
	uint32_t page_size;
	uint32_t n_cpus; /* regions 0 … n_cpus - 1 */
	/* limit of a region on the disk: older pages are dropped (record -m); 0: no limit */
	uint64_t max_bytes;
	/* one thread writes all regions, and old pages are dropped with livefile_cut() */
	bool joint;
	/* compress the sub-buffers of this buffer even with plain_data, if texts are compressed */
	bool packed;
};

/*
 * Returns -EBUSY if another recording writes this file. Do not call it for a file that this process
 * records.
 */
int livefile_check_free(const char *path, struct errmsg *err);

/*
 * Opens the file, without changing path yet. Returns -EACCES, -ENOENT, -EISDIR … if path cannot be
 * written.
 */
int livefile_open(struct livefile **ret_file, const struct livefile_config *config,
		  struct errmsg *err);

/*
 * Adds a text before livefile_start(). The caller keeps the text until then. writer.h describes the
 * forms of texts.
 */
int livefile_add_text(struct livefile *f, enum tracefile_text_kind kind, struct piece text,
		      struct errmsg *err);
/*
 * Adds an option. Options that are added after the data, before livefile_finish(), are in the
 * file's tail (version 7).
 */
int livefile_add_option(struct livefile *f, uint16_t id, struct piece data, struct errmsg *err);
/* The recording fails with `code`: readers say that the file is incomplete (version 7). */
int livefile_add_stopped(struct livefile *f, int code, struct errmsg *err);
int livefile_add_section(struct livefile *f, uint16_t id, const char *description,
			 struct piece body, struct errmsg *err);
/* Returns the buffer's index. */
int livefile_add_buffer(struct livefile *f, const struct livefile_buffer *buffer,
			struct errmsg *err);

/*
 * Followers read a file during the recording. The data moves when the recording ends, and a reader
 * would then read other data. So the recorder waits, at most a second, for a follower that holds
 * the file, and a follower checks the stage before it reads. Both use locks on bytes of the file,
 * which the kernel releases when the process ends.
 */
enum livefile_stage {
	LIVEFILE_DONE, /* the file is not being recorded */
	LIVEFILE_GROWS,
	LIVEFILE_MOVES, /* the data is moving and must not be read now */
};
enum livefile_stage livefile_ask(int fd);
/*
 * Prevents data from moving from now on. Returns false if it is already moving. fd is open for
 * reading and belongs to the follower.
 */
bool livefile_hold(int fd);
void livefile_let_go(int fd);

/*
 * Identifies a file independently of its name. The kernel reuses the inode number of a removed
 * file, so the birth time is included (0 if the file system does not store it).
 */
struct livefile_id {
	uint64_t dev, ino, born_ns;
};
/* Gets the id of the file, before or after livefile_start(). Returns 0 or -errno. */
int livefile_get_id(const struct livefile *f, struct livefile_id *ret);
bool livefile_is_at(const char *path, const struct livefile_id *id);
/*
 * Returns a descriptor of the file, owned by the caller, or -errno. The complete file can be read
 * through it, even if the name of the file changed.
 */
int livefile_dup(const struct livefile *f);

/* Replaces the file at path. */
int livefile_start(struct livefile *f, struct errmsg *err);

/* Returns a region after livefile_start(). A region belongs to one thread. */
struct liveregion *livefile_region(struct livefile *f, int buffer, uint32_t cpu);

/*
 * Moves n_bytes (whole pages) from a pipe to the end of the region. Only for uncompressed data.
 * Returns the bytes moved, or a negative errno: -EINVAL if this file system does not support splice
 * (nothing was moved), -ENOSPC, -EFBIG.
 */
ssize_t liveregion_splice(struct liveregion *r, int pipe_fd, size_t n_bytes);
/*
 * Adds whole pages. If the file is compressed, pages are compressed in chunks, and may stay in
 * memory until livefile_flush() or until a chunk is full. Returns 0 or a negative errno; after a
 * failure the file contains only whole pages.
 */
int liveregion_append(struct liveregion *r, const void *pages, size_t n_bytes);
/*
 * Rewrites the last page of a region that is not compressed, because a recorder added events to
 * that page. Returns -EINVAL if there is no such page.
 */
int liveregion_replace(struct liveregion *r, const void *page, size_t n_bytes);
/*
 * A joint buffer with a limit. A part of it has enough data: its thread should complete the pages
 * of all regions, flush them, and call livefile_cut(). Then everything before is older than
 * everything that comes.
 */
bool liveregion_wants_cut(const struct liveregion *r);
/* Ends a part, and drops the oldest parts from all regions. */
int livefile_cut(struct livefile *f, int buffer);
/* Returns the bytes of pages added so far. Thread-safe. */
uint64_t liveregion_bytes(const struct liveregion *r);
/*
 * Completes the current chunk. The thread of the region calls it before livefile_flush() counts the
 * chunks.
 */
int liveregion_flush(struct liveregion *r);

/*
 * Updates the directory to match the regions, and starts writing to the disk. This may take some
 * 0.2 s if the disk is busy, so a thread that receives data must not call it.
 */
int livefile_flush(struct livefile *f, struct errmsg *err);
/*
 * Writes the names of tasks that are known so far, for readers of the growing file and for repairs.
 * Names that do not fit into the room are omitted until the end. The thread of livefile_flush()
 * calls it.
 */
int livefile_write_names(struct livefile *f, struct piece text, struct errmsg *err);
/*
 * Writes all symbols that are known so far, for readers of the growing file (version 7). The next
 * livefile_flush() shows them, before data that comes after this call. The final symbols come
 * with livefile_add_text(). Called as livefile_write_names().
 */
int livefile_write_symbols(struct livefile *f, struct piece text, struct errmsg *err);

/* Returns the number of bytes on the disk so far. */
uint64_t livefile_bytes(const struct livefile *f);

/*
 * Writes the names of tasks and other late data and the final directory, and closes the holes.
 * Texts given by livefile_add_text() after livefile_start() replace the early ones (only
 * TRACEFILE_CMDLINES and, in version 7, TRACEFILE_KALLSYMS). Always frees f. After a failure the
 * file has the state of the last livefile_flush(). Returns -ESTALE if the file was renamed, removed
 * or replaced during the recording; err names the new place of the recording.
 */
int livefile_finish(struct livefile *f, struct errmsg *err);
/*
 * Frees f, which may be NULL. Before livefile_start() path is unchanged; after it the file stays.
 */
void livefile_free(struct livefile *f);
SCOPED_POINTER(struct livefile, livefile_free)

/*
 * Completes the file of a dead recorder. Keeps every whole page that reached the file, flushed or
 * not, and moves temporary files into it. cmdlines may be empty. Returns 0 on success, or if there
 * was nothing to do.
 */
int livefile_repair(const char *path, struct piece cmdlines, struct errmsg *err);
/*
 * Like livefile_repair(), but only if the file has this id. Returns 0 if another file has the name
 * now; that file is neither opened for writing nor trusted. A NULL id accepts any file.
 */
int livefile_repair_only(const char *path, const struct livefile_id *id, struct piece cmdlines,
			 struct errmsg *err);

#endif
