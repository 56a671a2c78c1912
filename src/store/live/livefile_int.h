/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* livefile_int.h - declarations that the files behind livefile.h share. For this room only. */
#ifndef SONDE_STORE_LIVE_LIVEFILE_INT_H
#define SONDE_STORE_LIVE_LIVEFILE_INT_H

#include "base/files/outplace.h"
#include "format/bytes.h"
#include "store/live/livefile.h"
#include "store/writer_int.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIVEFILE_REGIONS_MAX	 32768u /* the maximum that readers accept */
#define LIVEFILE_DIR_MAX_BYTES	 (64u << 20)
/* length of the name of the temporary directory, which the marker contains */
#define LIVEFILE_TEMP_DIR_MAX	 4000u
/* part of the tail that is released when the disk is full */
#define LIVEFILE_SPARE_BYTES	 ((uint64_t)1 << 20)
#define LIVEFILE_HEADER_STEP	 32 /* distance between waiting BUFFER headers */
#define LIVEFILE_COUNT_BYTES	 4  /* the count of chunks, before the first one */
#define LIVEFILE_DROP_PART	 8  /* this part of a limit is dropped at a time */
#define LIVEFILE_CMDLINES_V6_MIN ((uint64_t)1 << 20)

/* The state of the file in the marker. */
enum livefile_flag {
	LIVEFILE_FINISHING = 1, /* no more data comes; the directory is complete */
	LIVEFILE_TAIL = 2,	/* the tail is written, and the directory points to it */
	LIVEFILE_TEMP = 4,	/* regions are separate files */
};

struct packer;

struct liveregion {
	struct livefile *file;
	uint32_t number; /* number of the region in file order */
	uint32_t buffer, cpu;
	uint32_t page_size;
	uint64_t max_bytes;
	int fd;		 /* descriptor of the trace, or of the temporary file */
	char *temp_name; /* name in the directory `temp`; NULL: the region is in the trace */
	uint64_t limit;	 /* the data of the region ends before this position */
	size_t row_at;	 /* position of the region's offset and size in the directory, if has_row */
	bool has_row;

	/* used by the region's thread */
	int error;	  /* first failure; all later calls return it */
	uint64_t partial; /* bytes of an incomplete page after the end, left by splice() */
	uint64_t punched; /* position before which all data was dropped */
	struct packer *packer;
	uint8_t *plain, *packed; /* the current chunk, and its compressed form with header */
	size_t n_plain, chunk_bytes, packed_room;

	pthread_mutex_t lock; /* protects the next three members; taken after the file's dir_lock */
	uint64_t start, end;
	uint32_t n_chunks; /* compressed data: a u32 count at start, then the chunks */

	atomic_uint_least64_t n_taken;
	uint64_t flushed;   /* writing to the disk was started up to here */
	uint32_t n_counted; /* the count of chunks that the file contains */
};

/* The end of a part of a region (parts.c). */
struct livecut {
	uint64_t next;	   /* the start of a region without this part */
	uint32_t n_chunks; /* of this part */
};

struct livebuffer {
	uint32_t n_cpus;
	uint64_t max_bytes;
	bool is_joint;
	struct livecut *cuts; /* n_cpus of each part, the oldest part first */
	size_t cuts_cap;
	uint32_t n_parts;
	bool is_packed; /* the sub-buffers of this buffer are compressed */
	struct liveregion *regions;
	uint32_t rank;	      /* rank in file order; the top buffer is first */
	uint32_t description; /* description of the buffer's section */
	uint64_t header_at;   /* position of the section's header */
};

struct latesection {
	uint16_t id;
	char *description;
	uint8_t *data;
	size_t n_bytes;
};

struct livefile {
	struct writer *w; /* texts, options, names and clocks of buffers, the output */
	char *path, *temp_dir;
	struct outplace temp; /* the open temp_dir, if regions are separate files */
	uint32_t page_size;
	int fd;
	bool is_started;

	struct livebuffer *buffers; /* one for each buffer of the writer */
	size_t n_buffers;
	uint32_t *order;	     /* buffers in file order */
	struct liveregion **regions; /* all regions in file order */
	uint32_t n_regions;

	/* see layout.c */
	uint32_t align;
	uint64_t dir_at, data_at, tail_at, tail_bytes;
	size_t dir_bytes, headers_at, marker_at; /* the last two are relative to dir_at */
	uint32_t options_description;
	uint64_t cmdlines_at, next_options;
	uint64_t cmdlines_end; /* end of the section of names during the recording */
	uint32_t flags;
	uint32_t moving; /* number of the region that is being moved, plus 1 */
	uint64_t moved;	 /* bytes of that region at their new place */
	bool spare_is_gone, no_copy_range;
	pthread_mutex_t dir_lock;
	struct textbuf dir;

	struct textbuf cmdlines; /* a copy of the early names of tasks, later of the final ones */
	bool has_late_cmdlines;
	struct latesection *late;
	size_t n_late;
};

static inline uint64_t round_up_to(uint64_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static inline uint64_t round_down_to(uint64_t n, uint32_t to)
{
	return n / to * to;
}

static inline bool liveregion_is_packed(const struct liveregion *r)
{
	return r->file->buffers[r->buffer].is_packed;
}

static inline bool liveregion_is_joint(const struct liveregion *r)
{
	return r->file->buffers[r->buffer].is_joint;
}

static inline uint32_t liveregion_count_bytes(const struct liveregion *r)
{
	return liveregion_is_packed(r) ? LIVEFILE_COUNT_BYTES : 0;
}

static inline bool liveregion_has_data(const struct liveregion *r)
{
	return liveregion_is_packed(r) ? r->n_chunks : r->end > r->start;
}

static inline bool liveregion_in_file(const struct liveregion *r)
{
	return !r->temp_name;
}

/* livefile.c */
struct livefile *livefile_new(const struct livefile_config *config);
int livefile_make_regions(struct livefile *f, struct errmsg *err);
char *livefile_temp_name(const struct livefile *f, const char *name, uint32_t cpu);
/*
 * Prevents others from repairing a file that is being recorded. Returns false if another process
 * has the lock.
 */
bool livefile_lock(int fd);

/* layout.c; all these functions need the dir_lock when regions have threads */
int livefile_place(struct livefile *f, struct errmsg *err);
void livefile_encode(struct livefile *f, bool final);
int livefile_write_directory(struct livefile *f);
int livefile_write_row(struct liveregion *r);
int livefile_write_moved(struct livefile *f);
int livefile_write_live_tail(struct livefile *f, struct errmsg *err);
int livefile_write_live_names(struct livefile *f);
int livefile_write_live_symbols(struct livefile *f, struct piece text);
int livefile_read_marker(struct livefile *f, struct piece map);
int livefile_pwrite(int fd, const void *data, size_t n_bytes, uint64_t pos);
bool livefile_punch(int fd, uint64_t from, uint64_t to);

/* region.c */
void liveregion_release(struct liveregion *r);
/* Writes the count of chunks. Call it with the dir_lock, but without the region's lock. */
int liveregion_write_count(struct liveregion *r);
/* Drops the data before `start`; n_chunks remain. */
int liveregion_drop_to(struct liveregion *r, uint64_t start, uint32_t n_chunks);

/*
 * name.c: returns 0 if the complete file still has its name. Else returns -ESTALE with a message
 * that names the new place of the recording, or the reason why it is lost.
 */
int livefile_check_name(struct livefile *f, struct errmsg *err);
bool livefile_fd_is(int fd, const struct livefile_id *id);

/* close.c: completes the file after the last flush */
int livefile_close(struct livefile *f, struct errmsg *err);
/*
 * Adapts f to the file that a repair found. The file may be n_missing bytes shorter than its
 * directory says, if the recorder died right after it closed a hole. Returns -EBADMSG if the places
 * are inconsistent.
 */
int livefile_catch_up(struct livefile *f, uint64_t n_missing);

#endif
