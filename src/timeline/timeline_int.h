/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * timeline_int.h - declarations that the files behind timeline.h share.
 *
 *	timeline ─ stream ─ segment ─ pages (times, fill), columns, switches, wakings
 *
 *	timeline.c   life cycle and properties of a timeline
 *	pool.c       its threads; chooses the next segment
 *	pages.c      the pages of a stream and their times, from headers alone
 *	pagedata.c   the bytes of a page: mapped, unpacked or read; the cache of unpacked chunks
 *	kinds.c      kinds of events, and the offsets of the fields that the index reads
 *	tasktable.c  maps pids to tasks
 *	segment.c    walks the records of a segment
 *	schedlist.c  switches and wakings
 *	walk.c rowsearch.c selection.c sidecar.c refresh.c
 *
 * Locks, in the order in which they may be taken:
 *	shape     rwlock, live only: refresh replaces segments while no thread walks
 *	formats   struct formats of all sources, damage
 *	lock      states of segments, counts, the pool's queue
 *	tasks     adding a pid
 *	cache     chunks in memory
 * A segment that is READY (read with acquire) never changes again.
 */
#ifndef SONDE_TIMELINE_TIMELINE_INT_H
#define SONDE_TIMELINE_TIMELINE_INT_H

#include "decode/walker.h"
#include "format/bytes.h"
#include "store/tracefile.h"
#include "symbols/tasks.h"
#include "timeline/states/states.h"
#include "timeline/timeline.h"

#include <pthread.h>
#include <stdatomic.h>

#define STREAMS_MAX	     4096 /* 12 bits of an event_ref */
#define SEGMENT_BYTES	     (4u << 20)
#define THREADS_MAX	     64
#define MACHINES_MAX	     32768
#define LIVE_CHUNK_PAGES     16
#define LIVE_INDEX_BYTES     ((size_t)1 << 30) /* limit; enough for about 100 million events */
#define CHUNK_HARD_MAX_BYTES (16u << 20)

/* --- switches and wakings: schedlist.c -------------------------------------------------------- */

/*
 * An entry has delta:28 since its block's base, flags:4, a:16, b:16. For switches, a is prev and b
 * is next.
 */
#define SCHED_DELTA_BITS     28
#define SCHED_BLOCK_MAX	     1024 /* entries */

/*
 * Entries of the switch list that are not switches: other events show the running task. a is the
 * task that ran, b the task that runs; TIMELINE_NO_TASK: unknown. See schedlist.c.
 */
enum {
	SWITCH_GAP = 9,	     /* a ran until now; after that another task must have run */
	SWITCH_SEEN = 10,    /* b runs: the first event after a gap is an event of b */
	SWITCH_START = 11,   /* the segment's first event is an event of b */
	SWITCH_RESTART = 12, /* like SWITCH_START, and events were lost before it */
	SWITCH_FLAGS_MAX = 12
};
/*
 * Events of a task may follow its switch-out for this time, until the kernel reaches the next task.
 */
#define LEAVING_NS UINT64_C(10000000)
static inline bool switch_is_real(uint8_t flags)
{
	return flags < SWITCH_GAP;
}

enum waking_origin { /* the upper two bits of a waking's flags; the lower bits are WAKING_… */
		     FROM_WAKING = 0,
		     FROM_WAKEUP = 1,
		     FROM_FORK = 2,
		     FROM_NEWTASK = 3,
};

struct sched_block {
	uint64_t base;
	uint32_t first; /* number of the block's first entry */
	uint32_t unused;
};

struct sched_list {
	const uint64_t *entries;
	const struct sched_block *blocks;
	uint32_t n, n_blocks;
};

struct sched_builder {
	uint64_t *entries;
	struct sched_block *blocks;
	uint32_t n, n_blocks;
};

struct sched_item {
	uint64_t ts;
	uint16_t a, b;
	uint8_t flags;
};

/* Adds an entry. The builder must have room. Times must not decrease. */
void sched_builder_add(struct sched_builder *sb, const struct sched_item *item);
struct sched_item sched_list_get(const struct sched_list *sl, uint32_t i);
/* Returns the number of entries before time t. */
uint32_t sched_list_rank(const struct sched_list *sl, uint64_t t);

/* --- segments --------------------------------------------------------------------------------- */

enum segment_state { SEGMENT_TODO, SEGMENT_BUSY, SEGMENT_READY, SEGMENT_FAILED };

struct index_segment {
	_Atomic uint8_t state; /* enum segment_state */
	uint32_t stream;
	uint64_t first_page;
	uint32_t n_pages;
	uint32_t first_chunk, n_chunks; /* only for packed and live streams */
	/*
	 * Times of the segment's pages, accessed with __atomic. In packed data only the first is
	 * exact before READY.
	 */
	uint64_t *page_ts;
	uint16_t *fill;	 /* used bytes of a page; 65535: all */
	uint64_t end_ts; /* no event of the segment is later */

	/* valid when READY */
	uint64_t last_ts; /* time of the last event */
	uint32_t n_events;
	uint32_t n_uncounted; /* number of losses with an unknown number of events */
	uint64_t n_lost;      /* sum of the known numbers */
	/* n_pages + 1 numbers of a page's first event in this segment */
	const uint32_t *page_first;
	const uint64_t *page_bits; /* n_pages masks of the kinds in the page, see below */
	const uint8_t *page_shift; /* n_pages shifts: the unit of `places` is 2^shift ns */
	const uint16_t *kinds, *tasks;
	const uint16_t *places; /* time since the page's start, rounded down to its unit */
	struct sched_list switches, wakings;
	void *blob; /* memory for all of these arrays; NULL: they point into the sidecar */
	size_t blob_bytes;
};

/*
 * Bits for the contents of a page, to skip whole pages: one bit for each kind (some kinds share
 * one), and one if events were lost before its first event, or before empty pages that precede it
 * in the segment. A clear bit is certain.
 */
#define PAGE_KIND_BITS 63
#define PAGE_KINDS_ALL ((UINT64_C(1) << PAGE_KIND_BITS) - 1)
#define PAGE_LOST      (UINT64_C(1) << PAGE_KIND_BITS)

static inline uint64_t page_bit_of_kind(uint32_t kind)
{
	return UINT64_C(1) << kind % PAGE_KIND_BITS;
}

struct chunk_row {
	uint64_t pos; /* position of the packed bytes */
	uint32_t packed, plain;
	uint64_t first_page;
};

enum stream_kind { STREAM_MAPPED, STREAM_PACKED, STREAM_READ };

struct stream {
	struct timeline_stream pub;
	enum stream_kind kind;
	uint32_t number, machine; /* machine: index into timeline.machines */
	const struct timeline_source *src;
	struct source_state *source;
	struct page_layout layout;
	uint32_t page_size, segment_bytes; /* segment_bytes: approximate size of a segment */
	uint8_t ref_shift;		   /* bits of an event's number within its page */
	uint64_t offset, end;		   /* range of the data in the file */
	uint64_t n_bytes, max_pages;	   /* only for plain data: whole and truncated pages */
	uint32_t generation;		   /* live: cached data of older generations is stale */
	uint64_t n_dropped;		   /* live: number of pages removed from the beginning */
	/* live: number of segments at the beginning whose events were dropped */
	size_t n_forgotten;
	struct chunk_row *chunks;
	size_t n_chunks, cap_chunks;
	struct index_segment **segments;
	size_t n_segments, cap_segments;

	/* protected by timeline.lock: the segments to take next, see pool.c */
	size_t left, right;
	/* protected by timeline.lock: running times are summed in order, see timeline.c */
	size_t n_stitched;
	/* the file's directory states more data than the file contains */
	bool is_cut;
	_Atomic bool has_switches; /* so far */
	struct run_state {
		bool has_run;
		uint16_t task;
		uint64_t since;
	} run, run_before; /* run_before: state at the beginning of the last segment in the sum */
	uint16_t tail_task;
	uint64_t tail_ns;
};

/* The data of a source in addition to what the caller passed. */
struct source_state {
	struct kindtable *kinds; /* sources with the same formats share it */
	uint32_t machine;
	int fd;		     /* live: the file, read with pread(); otherwise -1 */
	uint64_t symbols_at; /* live: place of the last learned symbols; 0: as opened */
};

enum { HAS_SWITCH = 1, HAS_WAKING = 2, HAS_WAKEUP_NEW = 4, HAS_FORK = 8 };

struct machine {
	uint32_t number;
	_Atomic uint8_t has;
};

/* --- kinds ------------------------------------------------------------------------------------ */

enum kind_role {
	KIND_PLAIN,
	KIND_SWITCH,
	KIND_WAKING,
	KIND_WAKEUP,
	KIND_WAKEUP_NEW,
	KIND_FORK,
	KIND_NEWTASK,
	KIND_EXEC,
	KIND_NAMES, /* carries only names of tasks */
};

struct number_field {
	uint32_t offset;
	uint8_t size; /* 0: no such field */
};

struct text_field {
	uint32_t offset, size;
	bool is_dynamic, is_relative;
};

struct name_pair {
	struct number_field pid;
	struct text_field comm;
};

#define NAME_PAIRS_MAX 3

struct kind_info {
	struct timeline_kind pub;
	uint64_t page_bit; /* result of page_bit_of_kind() */
	uint16_t number;
	uint8_t role;
	uint8_t n_names;
	struct number_field pid, next_pid, state; /* pid is prev_pid, or the woken or new task */
	struct name_pair names[NAME_PAIRS_MAX];
	struct prev_states prev_states;
};

#define ODD_KINDS_MAX 64

struct kindtable {
	struct formats *formats;
	uint16_t source;		    /* the first source with these formats */
	_Atomic(struct kind_info *) *by_id; /* KIND_IDS entries */
	/* kinds with larger ids; protected by the formats' lock */
	struct kind_info *odd[ODD_KINDS_MAX];
	size_t n_odd;
};

#define KIND_IDS	 65536

/* --- tasks ------------------------------------------------------------------------------------ */

#define TASKS_MAX	 65535 /* numbers 0 … 65534 */
#define TASK_SLOTS	 131072
#define TASK_BLOCK	 256
#define TASK_COMM_BYTES	 32
#define KIND_BLOCK	 64
#define KIND_BLOCKS	 1024
#define TASK_THREAD_NONE (-1)

struct task_state_row {
	struct timeline_task pub;
	uint64_t comm_ts; /* time of the name; UINT64_MAX: from saved_cmdlines, which is final */
	int thread_of;	  /* pid of the task that created this thread, or TASK_THREAD_NONE */
};

struct tasktable {
	_Atomic uint64_t *slots; /* used:1 number:16 machine:15 pid:32 */
	uint64_t seed;
	_Atomic(struct task_state_row *) blocks[TASKS_MAX / TASK_BLOCK + 1];
	_Atomic uint32_t n;
	pthread_mutex_t lock;
	struct tasks *names; /* saved_cmdlines by machine index */
	bool *has_names;
	uint64_t *sums;	 /* checksums of the texts with the names */
	uint8_t **texts; /* texts that were read again */
	size_t n_names;
};

/*
 * Returns the number of a task, and adds the task if it is new. Returns TIMELINE_NO_TASK if there
 * are too many tasks.
 */
uint16_t tasktable_get(struct timeline *tl, uint32_t machine, int pid);
struct task_state_row *tasktable_row(const struct tasktable *tt, uint32_t number);
int tasktable_init(struct timeline *tl);
/* Learns the symbols that a growing file has got. now: the file, opened anew. */
int latesymbols_learn(struct timeline *tl, size_t source, struct tracefile *now);
/* Adds names from saved_cmdlines when it is read again. */
int tasktable_learn(struct timeline *tl, uint32_t machine, struct piece cmdlines);
void tasktable_release(struct tasktable *tt);

/* --- the pool --------------------------------------------------------------------------------- */

struct job {
	void (*run)(void *ctx, size_t i);
	void *ctx;
	size_t n, next, n_running;
	struct job *next_job;
};

struct indexer; /* segment.c: the working data of a thread that walks segments */
struct sidecar;

struct timeline {
	struct timeline_source *sources;
	struct source_state *source_states;
	size_t n_sources;
	struct kindtable *kindtables;
	size_t n_kindtables;
	struct machine *machines;
	size_t n_machines;
	struct stream *streams[STREAMS_MAX];
	_Atomic uint32_t n_streams;
	_Atomic uint64_t origin; /* never changes after the first event */
	bool has_origin;
	_Atomic uint64_t duration;
	bool is_live, has_ended;	 /* has_ended: the trace was live, see timeline_end() */
	_Atomic uint32_t n_symbol_texts; /* latesymbols.c */

	pthread_rwlock_t shape;
	pthread_mutex_t formats_lock;
	_Atomic(struct kind_info *) kind_blocks[KIND_BLOCKS];
	_Atomic uint32_t n_kinds;
	struct tasktable tasks;
	struct chunkcache *cache;

	pthread_mutex_t lock;
	pthread_cond_t work, idle; /* signalled when there is work, and when some work is done */
	pthread_t threads[THREADS_MAX];
	unsigned n_threads, n_asked;
	bool is_started, stop, is_saved;
	struct job *jobs;
	uint64_t hint_from, hint_to;
	size_t n_todo, n_busy; /* numbers of segments */
	uint64_t n_pages, n_pages_done;
	int error;
	_Atomic uint32_t
		n_drops;  /* live: how many times pages were dropped, which renumbers events */
	size_t index_max; /* live: limit in bytes; above it the oldest segments are dropped */
	_Atomic uint64_t n_events, n_lost, n_uncounted;
	_Atomic size_t n_bytes;
	struct sidecar *sidecar;
};

static inline struct stream *timeline_find_stream(const struct timeline *tl, size_t i)
{
	return i < atomic_load_explicit(&tl->n_streams, memory_order_acquire) ? tl->streams[i]
									      : NULL;
}

static inline bool segment_is_ready(const struct index_segment *seg)
{
	return atomic_load_explicit(&seg->state, memory_order_acquire) == SEGMENT_READY;
}

static inline uint64_t segment_page_ts(const struct index_segment *seg, uint32_t page)
{
	return __atomic_load_n(&seg->page_ts[page], __ATOMIC_RELAXED);
}

/* Returns the end of a page: no event of the page is later. */
static inline uint64_t segment_page_end(const struct index_segment *seg, uint32_t page)
{
	return page + 1 < seg->n_pages ? segment_page_ts(seg, page + 1) : seg->end_ts;
}

/* Chooses a shift so that the whole time of a page is less than 2^16 units. */
static inline uint8_t page_shift_of(uint64_t start, uint64_t end)
{
	uint64_t length = end > start ? end - start : 0;

	return length >> 16 ? 48 - __builtin_clzll(length) : 0;
}

static inline void timeline_enter(struct timeline *tl)
{
	if (tl->is_live)
		pthread_rwlock_rdlock(&tl->shape);
}

static inline void timeline_leave(struct timeline *tl)
{
	if (tl->is_live)
		pthread_rwlock_unlock(&tl->shape);
}

/* --- pages.c ---------------------------------------------------------------------------------- */

#define TS_UNKNOWN UINT64_MAX

/* Opens the streams of all sources, their segments and the origin. Returns 0 or -ENOMEM. */
int pages_open(struct timeline *tl, struct errmsg *err);
/* Reads the times of all pages. Returns 0 or -ENOMEM. */
int pages_read(struct timeline *tl, struct errmsg *err);
void stream_free(struct stream *st);
void segment_free(struct index_segment *seg);
/*
 * Corrects times that decrease or are unknown, so that they ascend; see pages.c. end is the time of
 * the last event, as far as known.
 */
void pages_settle(uint64_t *ts, size_t n, uint64_t end);
/*
 * Returns the segment of the last page that begins before t (or the first segment), or -1 if there
 * is none.
 */
long stream_find_segment(const struct stream *st, uint64_t t);
/* Returns the last page of a READY segment that begins before t, or 0. */
uint32_t segment_find_page(const struct index_segment *seg, uint64_t t);
/* Returns the number of the segment that contains a page, or -1. */
long stream_page_place(const struct stream *st, uint64_t page);
/* Returns the segment that contains a page, or NULL. */
struct index_segment *stream_page_segment(const struct stream *st, uint64_t page);
/*
 * Reads a page header: the converted time and the fill. Returns TS_UNKNOWN if the page has no
 * events.
 */
uint64_t page_header(const struct stream *st, const uint8_t *data, size_t len, uint16_t *ret_fill);
/* Converts a time on the trace's clock to the time since the origin, limited to the maximum. */
static inline uint64_t timeline_since(const struct timeline *tl, uint64_t ts)
{
	uint64_t t = ts > tl->origin ? ts - tl->origin : 0;

	return t < TIMELINE_TIME_MAX ? t : TIMELINE_TIME_MAX;
}
/*
 * Functions for refresh.c: cut the pages from from_page on into segments, read headers, settle
 * times.
 */
int stream_cut(struct stream *st, uint64_t from_page, uint32_t from_chunk);
void segment_read_headers(struct timeline *tl, struct stream *st, struct index_segment *seg);
/* low: no page is earlier than this */
int stream_settle(struct timeline *tl, struct stream *st, uint64_t low);
void stream_settle_edges(struct timeline *tl, struct stream *st);
/*
 * Returns the time of the stream's first or last event on the trace's clock, or TS_UNKNOWN if it
 * has no event.
 */
uint64_t stream_edge(struct timeline *tl, struct stream *st, bool last);
/* Continues to read chunk headers after the known ones. Returns 0 or -ENOMEM. */
int stream_read_chunks(struct stream *st);

/* --- pagedata.c ------------------------------------------------------------------------------- */

struct cached;
struct pagehold {
	const uint8_t *data;
	size_t len;
	uint64_t page;
	struct cached *chunk; /* NULL: the page is mapped */
};

struct chunkcache *chunkcache_new(void);
void chunkcache_free(struct chunkcache *cc);
/*
 * Makes hold refer to the bytes of a page. hold starts as zeros. If it holds another page, that
 * page is released. It is empty if the page cannot be read.
 */
void page_hold(struct timeline *tl, struct stream *st, uint64_t page, struct pagehold *hold);
void page_drop(struct pagehold *hold);
/* Releases a hold->chunk (may be NULL) that the caller kept. */
void chunk_release(struct cached *c);
/*
 * Returns bytes of the file: from the mapping, or read into buf. Returns NULL if the file does not
 * contain them.
 */
const uint8_t *stream_bytes(const struct stream *st, uint64_t pos, size_t n, void *buf);
size_t chunk_plain_bytes(const struct stream *st, size_t chunk);
uint64_t chunk_first_page(const struct stream *st, size_t chunk);
size_t chunk_of_page(const struct stream *st, uint64_t page);
/* Fills buf with a whole chunk. Returns 0 or a negative errno. */
int chunk_load(const struct stream *st, size_t chunk, uint8_t *buf);

/* --- walking one page ------------------------------------------------------------------------- */

struct pagewalk {
	struct walker w;
	const struct timeconv *time;
	uint64_t origin, low, high;
	uint32_t cpu;
};

static inline bool pagewalk_start(struct pagewalk *pw, const struct timeline *tl,
				  const struct stream *st, const uint8_t *data, size_t len,
				  uint64_t low, uint64_t high)
{
	pw->time = &st->src->time;
	pw->origin = tl->origin;
	pw->low = low;
	pw->high = high;
	pw->cpu = st->pub.cpu;
	return walker_start(&pw->w, data, len, &st->layout);
}

/* Moves to the next record. The returned times never decrease, even if the page is damaged. */
static inline bool pagewalk_next(struct pagewalk *pw, struct walked *rec, uint64_t *ret_ts)
{
	uint64_t t;

	if (!walker_next(&pw->w, rec))
		return false;
	t = timeconv(pw->time, rec->ts, pw->cpu);
	t = t > pw->origin ? t - pw->origin : 0;
	if (t > pw->high)
		t = pw->high;
	if (t < pw->low)
		t = pw->low;
	pw->low = t;
	*ret_ts = t;
	return true;
}

/* --- the rest --------------------------------------------------------------------------------- */

/* kinds.c */
int kinds_init(struct timeline *tl);
void kinds_release(struct timeline *tl);
/*
 * Finds or adds a kind. Returns NULL only if memory is short or there are too many kinds. Any
 * thread may call it.
 */
struct kind_info *kinds_find(struct timeline *tl, struct kindtable *kt, int id);
struct kind_info *kinds_get(const struct timeline *tl, uint32_t number);

static inline uint64_t number_field_get(const struct number_field *f, const uint8_t *data,
					uint32_t size, bool swap)
{
	return (uint64_t)f->offset + f->size <= size ? bytes_get(data + f->offset, f->size, swap)
						     : 0;
}

/*
 * walk.c: returns the number of events lost before the first event of a page, as in walker.h.
 * segment_missed() checks the index first: the result is 0 for nearly all pages, without file
 * access.
 */
int64_t page_missed(struct timeline *tl, struct stream *st, uint64_t page, const struct walker *w);
int64_t segment_missed(struct timeline *tl, struct stream *st, const struct index_segment *seg,
		       uint32_t page, const uint8_t *data, size_t len);
/* Returns the page bits of these kinds (wants of a walk); NULL: all. */
uint64_t page_bits_of_kinds(const uint8_t *kinds, size_t n_kinds);

/* segment.c */
struct indexer *indexer_new(void);
void indexer_free(struct indexer *ix);
/* Walks a BUSY segment and publishes the result. Returns 0 or -ENOMEM. */
int indexer_run(struct indexer *ix, struct timeline *tl, struct index_segment *seg);
/* Walks a segment, the first step of indexer_run(). st may be a copy of the stream. */
int indexer_walk(struct indexer *ix, struct timeline *tl, struct stream *st,
		 struct index_segment *seg);
/* Publishes the result, the second step of indexer_run(). The caller holds the lock. */
void indexer_merge(struct indexer *ix, struct timeline *tl, struct stream *st);
/* Arranges the parts of a segment in its blob. Returns the number of bytes needed. */
size_t segment_layout(struct index_segment *seg, uint8_t *blob, uint32_t n_events,
		      const uint32_t n_sched[4]);

/* pool.c */
int pool_start(struct timeline *tl);
void pool_stop(struct timeline *tl);
/* Queues a new segment. The caller holds the lock. */
void pool_add_segment(struct timeline *tl, struct index_segment *seg);
/* Marks a new segment as indexed. The caller holds the lock. */
void pool_add_indexed(struct timeline *tl, struct index_segment *seg);

/*
 * timeline.c: sums the running times of the part that is indexed without a gap. The caller holds
 * the lock.
 */
void timeline_stitch(struct timeline *tl, struct stream *st);
/* Undoes timeline_stitch() for the last segment. */
void timeline_unstitch(struct timeline *tl, struct stream *st);
void timeline_resolve_threads(struct timeline *tl);
/*
 * Returns the time before which the data of a growing trace does not change, except that gaps may
 * be detected later. Returns 0 for other traces.
 */
uint64_t timeline_settled(const struct timeline *tl);

/* sidecar.c: returns true if the sidecar contained the whole index, which is now in tl. */
bool sidecar_open(struct timeline *tl, const char *cache_dir);
void sidecar_save(struct timeline *tl);
void sidecar_close(struct timeline *tl);

#endif
