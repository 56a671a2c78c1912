/* SPDX-License-Identifier: GPL-2.0-or-later */
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
 * While it grows, the file looks enormous (terabytes, nearly all of them holes). This code never
 * causes SIGXFSZ: it checks the limits of the process first.
 */
#ifndef SONDE_STORE_LIVE_LIVEFILE_H
#define SONDE_STORE_LIVE_LIVEFILE_H

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
	uint32_t page_size; /* of the top buffer; in version 6 of all */
	uint32_t n_cpus;    /* CPUs of the machine */
};

struct livefile_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: unknown */
	uint32_t page_size;
	uint32_t n_cpus;    /* regions 0 … n_cpus - 1 */
	uint64_t max_bytes; /* of a region on the disk: drop older pages (record -m); 0: no limit */
};

/*
 * Returns -EBUSY if another recording writes this file. Not for a file that this process records.
 */
int livefile_check_free(const char *path, struct errmsg *err);

/* Does not change path yet. Returns -EACCES, -ENOENT, -EISDIR … if it cannot be written. */
int livefile_open(struct livefile **ret_file, const struct livefile_config *config,
		  struct errmsg *err);

/* Call it before livefile_start(). The caller keeps texts until then. Forms as in writer.h. */
int livefile_add_text(struct livefile *f, enum tracefile_text_kind kind, struct piece text,
		      struct errmsg *err);
/* Also after the data, before livefile_finish(); then they are in the file's tail (version 7). */
int livefile_add_option(struct livefile *f, uint16_t id, struct piece data, struct errmsg *err);
int livefile_add_section(struct livefile *f, uint16_t id, const char *description,
			 struct piece body, struct errmsg *err);
/* Returns the buffer's index. */
int livefile_add_buffer(struct livefile *f, const struct livefile_buffer *buffer,
			struct errmsg *err);

/*
 * Followers read a file during the recording. Its data moves when the recording ends, and a reader
 * would then read something else. So the recorder waits for a follower that holds the file, at most
 * a second, and a follower checks before it reads. All of this uses locks on bytes of the file, so
 * it ends with either process.
 */
enum livefile_stage {
	LIVEFILE_DONE, /* not being recorded */
	LIVEFILE_GROWS,
	LIVEFILE_MOVES, /* must not be read now */
};
enum livefile_stage livefile_ask(int fd);
/*
 * From now on data does not move; false: it is already moving. fd is open for reading and belongs
 * to the follower.
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
/* Works before and after livefile_start(). -errno. */
int livefile_get_id(const struct livefile *f, struct livefile_id *ret);
bool livefile_is_at(const char *path, const struct livefile_id *id);
/*
 * A descriptor of the file, owned by the caller: the complete file can be read, whatever its name
 * is. -errno.
 */
int livefile_dup(const struct livefile *f);

/* Replaces the file at path. */
int livefile_start(struct livefile *f, struct errmsg *err);

/* Call it after livefile_start(). A region belongs to one thread. */
struct liveregion *livefile_region(struct livefile *f, int buffer, uint32_t cpu);

/*
 * Moves n_bytes (whole pages) from a pipe to the end of the region. Only for uncompressed data.
 * Returns the bytes moved, or a negative errno: -EINVAL if this file system does not support splice
 * (nothing was moved), -ENOSPC, -EFBIG.
 */
ssize_t liveregion_splice(struct liveregion *r, int pipe_fd, size_t n_bytes);
/*
 * Adds whole pages; compresses them in chunks if the file is compressed (then pages may stay in
 * memory until livefile_flush() or a chunk is full). Returns 0 or a negative errno; on failure
 * whole pages stay.
 */
int liveregion_append(struct liveregion *r, const void *pages, size_t n_bytes);
/*
 * Rewrites the last page of a region that is not compressed: a recorder adds events to a page that
 * was not full. -EINVAL: there is no such page.
 */
int liveregion_replace(struct liveregion *r, const void *page, size_t n_bytes);
/* Bytes of pages added so far; thread-safe. */
uint64_t liveregion_bytes(const struct liveregion *r);
/* Completes the current chunk. The region's thread calls it, before livefile_flush() counts it. */
int liveregion_flush(struct liveregion *r);

/*
 * Updates the directory to match the regions and starts writing to the disk, which may take some
 * 0.2 s if the disk is busy: not for a thread that takes data.
 */
int livefile_flush(struct livefile *f, struct errmsg *err);

/* Bytes on the disk so far. */
uint64_t livefile_bytes(const struct livefile *f);

/*
 * Writes the names of tasks and other late data and the final directory, and closes the holes.
 * Texts given by livefile_add_text() after livefile_start() replace the early ones (only
 * TRACEFILE_CMDLINES). Always frees f; on failure the file stays as livefile_flush() left it and
 * err says what is wrong. -ESTALE: the file was renamed, removed or replaced meanwhile; err says
 * where the recording is now.
 */
int livefile_finish(struct livefile *f, struct errmsg *err);
/* Before livefile_start(): path is unchanged. After it: the file stays. f may be NULL. */
void livefile_free(struct livefile *f);

/*
 * Completes the file of a dead recorder: keeps every whole page that reached the file, flushed or
 * not. cmdlines may be empty. Returns 0 if it is done, or if there was nothing to do. Temporary
 * files are moved in, too.
 */
int livefile_repair(const char *path, struct piece cmdlines, struct errmsg *err);
/*
 * The same, but only if the file has this id. Also returns 0 if another file has the name by now:
 * that one is neither opened for writing nor trusted. id may be NULL: any file.
 */
int livefile_repair_only(const char *path, const struct livefile_id *id, struct piece cmdlines,
			 struct errmsg *err);

#endif
