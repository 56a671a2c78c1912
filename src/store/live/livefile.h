/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * livefile.h - a trace.dat that grows while it is recorded and can be opened at every moment.
 *
 *	livefile_open
 *	    livefile_add_text, livefile_add_option, livefile_add_section
 *	    livefile_add_buffer …          every buffer, the top one (name "") too
 *	livefile_start                     the file stands under its name, valid and empty
 *	    livefile_splice, livefile_append      by one thread per region
 *	    livefile_flush                        now and then, by one thread
 *	livefile_finish                    the tail, the holes closed, the final directory
 *
 * Every CPU of every buffer has a region of its own in the file, far from the others, that grows in
 * place: data is written once. The metadata comes first; the directory stands before the regions and is
 * brought up to date by every livefile_flush(), so a recorder that dies loses what came after the last
 * one, at most. livefile_finish() closes the holes between the regions without copying where the file
 * system can (FALLOC_FL_COLLAPSE_RANGE), and by moving the data where it cannot. Where the file system
 * has no holes at all, or a temporary directory is given, a region is a file of its own.
 *
 * A file that was left by a dead recorder is finished by livefile_repair(). The process that called
 * livefile_start() holds a lock on the file (fcntl) that keeps others from that; the lock ends with the
 * process, and also when that process itself opens and closes the file once more.
 *
 * While it grows the file looks enormous (terabytes, of which nearly all are holes). A signal SIGXFSZ
 * never comes from here: limits of the process are asked for first.
 */
#ifndef SONDE_STORE_LIVE_LIVEFILE_H
#define SONDE_STORE_LIVE_LIVEFILE_H

#include "store/tracefile.h"

#include <sys/types.h>

struct errmsg;
struct livefile;
struct liveregion;

struct livefile_config {
	const char *path;
	const char *temp_dir; /* NULL: regions in the file itself */
	int version;	      /* 6 or 7 */
	enum compression compression;
	bool plain_data; /* only texts are compressed, sub-buffers are not */
	uint8_t long_size;
	uint32_t page_size; /* of the top buffer; in version 6 of all */
	uint32_t n_cpus;    /* CPUs that there are on the machine */
};

struct livefile_buffer {
	const char *name;  /* "": the top instance */
	const char *clock; /* NULL: not known */
	uint32_t page_size;
	uint32_t n_cpus; /* regions 0 … n_cpus - 1 */
	uint64_t
		max_bytes; /* of a region on the disk: older pages are dropped (record -m); 0: no limit */
};

/* -EBUSY if another recording writes this file. Not for one that this process records. */
int livefile_check_free(const char *path, struct errmsg *err);

/* Does not touch path yet. -EACCES, -ENOENT, -EISDIR … if nothing can be written there. */
int livefile_open(struct livefile **ret_file, const struct livefile_config *config,
		  struct errmsg *err);

/* Before livefile_start(). The caller keeps texts until then. Forms as in writer.h. */
int livefile_add_text(struct livefile *f, enum tracefile_text_kind kind, struct piece text,
		      struct errmsg *err);
/* Also after the data, before livefile_finish(); then they stand in the file's tail (version 7). */
int livefile_add_option(struct livefile *f, uint16_t id, struct piece data, struct errmsg *err);
int livefile_add_section(struct livefile *f, uint16_t id, const char *description,
			 struct piece body, struct errmsg *err);
/* Returns the buffer's index. */
int livefile_add_buffer(struct livefile *f, const struct livefile_buffer *buffer,
			struct errmsg *err);

/*
 * Followers: who reads a file while it is recorded. Its data moves when the recording ends, and who
 * reads at that moment reads something else. So the recorder waits for a follower that holds the file, a
 * second at most, and a follower asks before it reads. All of it is locks on bytes of the file, so it
 * ends with either process.
 */
enum livefile_stage {
	LIVEFILE_DONE, /* nobody records it */
	LIVEFILE_GROWS,
	LIVEFILE_MOVES, /* not to be read now */
};
enum livefile_stage livefile_ask(int fd);
/* From now on data does not move; false: it does already. fd is open for reading, and the follower's own. */
bool livefile_hold(int fd);
void livefile_let_go(int fd);

/*
 * Which file it is, whatever its name. The kernel gives the number of a removed file to a new one, so the time of birth
 * belongs to it (0 where the file system does not keep it).
 */
struct livefile_id {
	uint64_t dev, ino, born_ns;
};
/* Before and after livefile_start(). -errno. */
int livefile_get_id(const struct livefile *f, struct livefile_id *ret);
bool livefile_is_at(const char *path, const struct livefile_id *id);
/* A descriptor of the file, the caller's own: the file can be read when it is finished, wherever its name is. -errno. */
int livefile_dup(const struct livefile *f);

/* Replaces what was under path. */
int livefile_start(struct livefile *f, struct errmsg *err);

/* After livefile_start(). A region belongs to one thread. */
struct liveregion *livefile_region(struct livefile *f, int buffer, uint32_t cpu);

/*
 * Moves n_bytes (whole pages) from a pipe to the end of the region. Uncompressed only. Bytes moved, or a
 * negative errno: -EINVAL if this file system cannot be spliced to (nothing was moved), -ENOSPC, -EFBIG.
 */
ssize_t liveregion_splice(struct liveregion *r, int pipe_fd, size_t n_bytes);
/*
 * Adds whole pages; compresses them in chunks if the file is compressed (then pages may stay in memory
 * until livefile_flush() or a chunk is full). 0 or a negative errno; on failure whole pages stay.
 */
int liveregion_append(struct liveregion *r, const void *pages, size_t n_bytes);
/*
 * Writes the page that came last anew, of a region that is not compressed: a recorder puts more events
 * into one that was not full. -EINVAL: there is none that can be.
 */
int liveregion_replace(struct liveregion *r, const void *page, size_t n_bytes);
/* Bytes of pages taken in so far, from any thread. */
uint64_t liveregion_bytes(const struct liveregion *r);
/* Completes the chunk that is being filled. By the region's thread, before livefile_flush() counts it. */
int liveregion_flush(struct liveregion *r);

/*
 * Brings the directory up to date with what the regions hold and starts its way to the disk, for which it
 * may take some 0.2 s when the disk is busy: not for a thread that takes data.
 */
int livefile_flush(struct livefile *f, struct errmsg *err);

/* Bytes on the disk so far. */
uint64_t livefile_bytes(const struct livefile *f);

/*
 * The names of tasks and what else came late, the final directory, no holes. Texts given by
 * livefile_add_text() after livefile_start() replace the early ones (only TRACEFILE_CMDLINES).
 * Frees f in any case; on failure the file stays as livefile_flush() left it and err says what is wrong.
 * -ESTALE: the file was renamed, removed or replaced meanwhile; the sentence says where the recording is now.
 */
int livefile_finish(struct livefile *f, struct errmsg *err);
/* Before livefile_start(): path stays as it was. After it: the file stays. f may be NULL. */
void livefile_free(struct livefile *f);

/*
 * Finishes the file of a recorder that is dead: every whole page that reached the file is kept, flushed
 * or not. cmdlines may be empty. 0: done, or there was nothing to do. Temporary files are put in, too.
 */
int livefile_repair(const char *path, struct piece cmdlines, struct errmsg *err);
/*
 * The same, but only if the file is the one with this id. 0 also if another one has the name by now: nothing of it is
 * opened for writing or believed. id may be NULL: any file.
 */
int livefile_repair_only(const char *path, const struct livefile_id *id, struct piece cmdlines,
			 struct errmsg *err);

#endif
