// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * timeline.c - life cycle and properties of a timeline.
 *
 *	timeline_new     threads, tables of kinds and tasks, streams, the time range (pages.c)
 *	timeline_start   loads the sidecar, or reads the page times and queues all segments (pool.c)
 *	timeline_free    waits for the segments that threads still walk
 *
 * This file sums running times from the switches, over the segments of a stream that are ready
 * without a gap from its beginning on: the task at the end of one segment runs at the beginning of
 * the next. A task runs from its switch to the next switch. The task before the first switch runs
 * since the stream's first event; the task after the last switch runs until its last event (the
 * tail, which is undone when a live stream grows).
 */
#include "base/array.h"
#include "base/lock.h"
#include "base/scope.h"
#include "timeline/timeline_int.h"

#include "base/errmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREAD_DEPTH_MAX 64 /* limit of nested threads that create threads */
/* a CPU that has had no events for this time delays no others */
#define QUIET_NS	 UINT64_C(10000000000)
#define SETTLE_NS	 LEAVING_NS

/* --- life ------------------------------------------------------------------------------------- */

static int find_machines(struct timeline *tl, struct errmsg *err)
{
	for (size_t i = 0; i < tl->n_sources; i++) {
		size_t m = 0;

		if (tl->sources[i].machine >= MACHINES_MAX)
			return errmsg_set(err, -EINVAL, "cannot show more than %d machines",
					  MACHINES_MAX);
		while (m < tl->n_machines && tl->machines[m].number != tl->sources[i].machine)
			m++;
		tl->machines[m].number = tl->sources[i].machine;
		if (m == tl->n_machines)
			tl->n_machines++;
		tl->source_states[i].machine = m;
	}
	return 0;
}

static int open_live(struct timeline *tl, struct errmsg *err)
{
	for (size_t i = 0; i < tl->n_sources; i++) {
		const struct timeline_source *src = &tl->sources[i];

		if (!src->is_live)
			continue;
		tl->is_live = true;
		tl->source_states[i].fd = open(src->tf->path, O_RDONLY | O_CLOEXEC);
		if (tl->source_states[i].fd < 0)
			return errmsg_set_errno(err, -errno, "cannot open %s", src->tf->path);
	}
	return 0;
}

static int timeline_open(struct timeline *tl, struct errmsg *err)
{
	TRY(find_machines(tl, err));
	TRY(open_live(tl, err));
	tl->cache = chunkcache_new();
	if (!tl->cache || tasktable_init(tl) < 0 || kinds_init(tl) < 0)
		return errmsg_set_errno(err, -ENOMEM, "cannot allocate the index");
	if (pool_start(tl) < 0)
		return errmsg_set_errno(err, -EAGAIN, "cannot start a thread for the index");
	return pages_open(tl, err);
}

int timeline_new(struct timeline **ret, const struct timeline_source *sources, size_t n_sources,
		 unsigned n_threads, struct errmsg *err)
{
	struct timeline *tl = calloc(1, sizeof(*tl));
	int r;

	if (!tl)
		return errmsg_set_errno(err, -ENOMEM, "cannot allocate the index");
	pthread_rwlock_init(&tl->shape, NULL);
	pthread_mutex_init(&tl->formats_lock, NULL);
	pthread_mutex_init(&tl->lock, NULL);
	pthread_cond_init(&tl->work, NULL);
	pthread_cond_init(&tl->idle, NULL);
	tl->n_asked = n_threads;
	tl->index_max = LIVE_INDEX_BYTES;
	tl->sources = calloc(n_sources + 1, sizeof(*tl->sources));
	tl->source_states = calloc(n_sources + 1, sizeof(*tl->source_states));
	tl->machines = calloc(n_sources + 1, sizeof(*tl->machines));
	if (tl->sources && tl->source_states && tl->machines && n_sources < UINT16_MAX) {
		for (size_t i = 0; i < n_sources; i++) {
			tl->sources[i] = sources[i];
			tl->source_states[i].fd = -1;
		}
		tl->n_sources = n_sources;
		r = timeline_open(tl, err);
	} else {
		r = errmsg_set_errno(err, -ENOMEM, "cannot allocate the index");
	}
	if (r < 0) {
		timeline_free(tl);
		return r;
	}
	*ret = tl;
	return 0;
}

void timeline_free(struct timeline *tl)
{
	if (!tl)
		return;
	pool_stop(tl);
	for (uint32_t i = 0; i < tl->n_streams; i++)
		stream_free(tl->streams[i]);
	sidecar_close(tl);
	if (tl->tasks.slots)
		tasktable_release(&tl->tasks);
	kinds_release(tl);
	chunkcache_free(tl->cache);
	for (size_t i = 0; i < tl->n_sources; i++)
		if (tl->source_states[i].fd >= 0)
			close(tl->source_states[i].fd);
	free(tl->sources);
	free(tl->source_states);
	free(tl->machines);
	pthread_rwlock_destroy(&tl->shape);
	pthread_mutex_destroy(&tl->formats_lock);
	pthread_mutex_destroy(&tl->lock);
	pthread_cond_destroy(&tl->work);
	pthread_cond_destroy(&tl->idle);
	free(tl);
}

int timeline_start(struct timeline *tl, const char *cache_dir, struct errmsg *err)
{
	bool is_done = cache_dir && !tl->is_live && sidecar_open(tl, cache_dir);

	TRY(is_done ? 0 : pages_read(tl, err));
	LOCKED(&tl->lock);
	for (uint32_t i = 0; i < tl->n_streams && !is_done; i++)
		for (size_t k = 0; k < tl->streams[i]->n_segments; k++)
			pool_add_segment(tl, tl->streams[i]->segments[k]);
	tl->is_started = true;
	pthread_cond_broadcast(&tl->work);
	return 0;
}

/* --- running times ---------------------------------------------------------------------------- */

static void add_run(struct timeline *tl, uint16_t task, int64_t ns)
{
	if (task != TIMELINE_NO_TASK) {
		struct task_state_row *row = tasktable_row(&tl->tasks, task);

		__atomic_store_n(&row->pub.running_ns, row->pub.running_ns + ns, __ATOMIC_RELAXED);
	}
}

static void stitch_segment(struct timeline *tl, const struct stream *st, struct run_state *run,
			   const struct index_segment *seg, int sign)
{
	const struct sched_list *sl = &seg->switches;
	uint64_t before = 0;
	uint32_t block = 0;

	for (size_t i = 0; i < st->n_segments && st->segments[i] != seg; i++)
		before = st->segments[i]->n_events ? st->segments[i]->last_ts : before;
	for (uint32_t i = 0; i < sl->n; i++) {
		uint64_t e = sl->entries[i], ts;
		uint8_t flags;

		while (block + 1 < sl->n_blocks && sl->blocks[block + 1].first <= i)
			block++;
		ts = sl->blocks[block].base + (e >> 36);
		flags = e >> 32 & 15;
		if (flags == SWITCH_START && run->task == (uint16_t)e && run->has_run)
			continue;
		/* as far as is known, the task ran until the end of the segment before */
		if (run->has_run && (flags < SWITCH_START || before >= run->since))
			add_run(tl, run->task,
				sign * (int64_t)((flags < SWITCH_START ? ts : before) -
						 run->since));
		*run = (struct run_state){true, e, ts};
	}
}

/*
 * Returns true if another stream counts the same switches: an instance may have recorded them, too,
 * at the same time.
 */
static bool is_counted_elsewhere(const struct timeline *tl, const struct stream *st)
{
	return ARRAY_ANY(tl->n_streams, i,
			 tl->streams[i] != st && tl->streams[i]->machine == st->machine &&
				 tl->streams[i]->pub.cpu == st->pub.cpu &&
				 tl->streams[i]->run.has_run &&
				 tl->streams[i]->pub.first <= st->pub.last &&
				 st->pub.first <= tl->streams[i]->pub.last);
}

static void drop_tail(struct timeline *tl, struct stream *st)
{
	if (st->tail_ns)
		add_run(tl, st->tail_task, -(int64_t)st->tail_ns);
	st->tail_ns = 0;
}

void timeline_stitch(struct timeline *tl, struct stream *st)
{
	size_t before = st->n_stitched;

	/* without switches an event shows which task runs, but not for how long */
	if (!st->has_switches)
		return;
	while (st->n_stitched < st->n_segments && segment_is_ready(st->segments[st->n_stitched])) {
		st->run_before = st->run;
		if (!is_counted_elsewhere(tl, st))
			stitch_segment(tl, st, &st->run, st->segments[st->n_stitched], 1);
		st->n_stitched++;
	}
	if (st->n_stitched == before || !st->run.has_run)
		return;
	drop_tail(tl, st);
	if (st->n_stitched == st->n_segments && st->pub.last > st->run.since) {
		st->tail_ns = st->pub.last - st->run.since;
		st->tail_task = st->run.task;
		add_run(tl, st->tail_task, st->tail_ns);
	}
}

void timeline_unstitch(struct timeline *tl, struct stream *st)
{
	if (!st->n_segments || st->n_stitched != st->n_segments)
		return;
	drop_tail(tl, st);
	st->n_stitched--;
	st->run = st->run_before;
	if (!is_counted_elsewhere(tl, st))
		stitch_segment(tl, st, &st->run_before, st->segments[st->n_stitched], -1);
	st->run_before = st->run;
}

static int find_tgid(struct timeline *tl, const struct task_state_row *row, unsigned depth)
{
	int parent;

	if (row->pub.tgid >= 0 || row->thread_of == TASK_THREAD_NONE || depth > THREAD_DEPTH_MAX)
		return row->pub.tgid;
	if (row->thread_of == row->pub.pid)
		return row->pub.pid;
	parent = timeline_find_task(tl, row->pub.machine, row->thread_of);
	return parent < 0 ? -1 : find_tgid(tl, tasktable_row(&tl->tasks, parent), depth + 1);
}

void timeline_resolve_threads(struct timeline *tl)
{
	uint32_t n = atomic_load(&tl->tasks.n);

	for (uint32_t i = 0; i < n; i++) {
		struct task_state_row *row = tasktable_row(&tl->tasks, i);

		/* live: new tasks are published a little later (refresh.c) */
		if (row->pub.first == UINT64_MAX && !tl->is_live)
			__atomic_store_n(&row->pub.first, row->pub.last, __ATOMIC_RELAXED);
		if (row->pub.tgid < 0)
			__atomic_store_n(&row->pub.tgid, find_tgid(tl, row, 0), __ATOMIC_RELAXED);
	}
}

/* --- properties ------------------------------------------------------------------------------- */

size_t timeline_memory(const struct timeline *tl)
{
	return atomic_load(&tl->n_bytes) + sizeof(*tl);
}

uint64_t timeline_n_events(const struct timeline *tl)
{
	return atomic_load(&tl->n_events);
}

uint64_t timeline_lost(const struct timeline *tl, bool *ret_all)
{
	*ret_all = !atomic_load(&tl->n_uncounted);
	return atomic_load(&tl->n_lost);
}

uint64_t timeline_origin(const struct timeline *tl)
{
	return atomic_load(&tl->origin);
}

static bool has_events(const struct tracefile_buffer *b)
{
	for (size_t i = 0; b && i < b->n_cpus; i++)
		if (b->cpus[i].n_bytes)
			return true;
	return false;
}

/*
 * Returns the unit of the first source with events, because an empty buffer may not name its clock;
 * if there is none, of the first source.
 */
struct time_unit timeline_unit(const struct timeline *tl)
{
	size_t n = timeline_n_sources(tl), i = 0;
	const struct timeline_source *s;

	while (i < n && !has_events(timeline_source(tl, i)->buffer))
		i++;
	s = n ? timeline_source(tl, i < n ? i : 0) : NULL;
	return s ? timeconv_unit(&s->time, s->buffer ? s->buffer->clock : NULL)
		 : (struct time_unit){1, "ns"};
}

uint64_t timeline_duration(const struct timeline *tl)
{
	return atomic_load(&tl->duration);
}

size_t timeline_n_streams(const struct timeline *tl)
{
	return atomic_load_explicit(&tl->n_streams, memory_order_acquire);
}

const struct timeline_stream *timeline_stream(const struct timeline *tl, size_t i)
{
	const struct stream *st = timeline_find_stream(tl, i);

	return st ? &st->pub : NULL;
}

size_t timeline_n_sources(const struct timeline *tl)
{
	return tl->n_sources;
}

const struct timeline_source *timeline_source(const struct timeline *tl, size_t i)
{
	return i < tl->n_sources ? &tl->sources[i] : NULL;
}

uint64_t timeline_settled(const struct timeline *tl)
{
	uint64_t end = timeline_duration(tl), least = end > QUIET_NS ? end - QUIET_NS : 0;
	uint64_t settled = end;

	if (!tl->is_live)
		return 0;
	for (size_t i = 0; i < timeline_n_streams(tl); i++) {
		const struct timeline_stream *st = timeline_stream(tl, i);
		uint64_t last = __atomic_load_n(&st->last, __ATOMIC_RELAXED);

		if (__atomic_load_n(&st->n_events, __ATOMIC_RELAXED) && last < settled)
			settled = last;
	}
	settled = settled < least ? least : settled;
	return settled > SETTLE_NS ? settled - SETTLE_NS : 0;
}

/* --- density ---------------------------------------------------------------------------------- */

struct density {
	uint64_t from, to;
	float *values;
	size_t n;
	double bucket_ns;
};

/* Spreads the bytes of a page over the buckets that its time covers. */
static void add_density(struct density *d, uint64_t start, uint64_t end, double bytes)
{
	double x0 = (double)start - (double)d->from, x1 = (double)end - (double)d->from, share;
	size_t i, last;

	if (end < d->from || start > d->to)
		return;
	if (x1 - x0 < 1)
		x1 = x0 + 1;
	share = bytes / (x1 - x0);
	i = x0 > 0 ? x0 / d->bucket_ns : 0;
	last = x1 / d->bucket_ns;
	for (; i <= last && i < d->n; i++) {
		double a = i * d->bucket_ns, b = a + d->bucket_ns;

		a = a < x0 ? x0 : a;
		b = b > x1 ? x1 : b;
		if (b > a)
			d->values[i] += share * (b - a) / d->bucket_ns;
	}
}

void timeline_density(const struct timeline *tl_const, size_t stream, uint64_t from, uint64_t to,
		      float *ret_bytes_per_ns, size_t n)
{
	struct timeline *tl = (struct timeline *)tl_const;
	struct density d = {from, to, ret_bytes_per_ns, n, 0};
	struct stream *st;
	long i;

	memset(ret_bytes_per_ns, 0, n * sizeof(*ret_bytes_per_ns));
	if (!n || to <= from)
		return;
	d.bucket_ns = (double)(to - from) / n;
	timeline_enter(tl);
	st = timeline_find_stream(tl, stream);
	i = st ? stream_find_segment(st, from) : -1;
	for (; i >= 0 && (size_t)i < st->n_segments; i++) {
		const struct index_segment *seg = st->segments[i];

		if (segment_page_ts(seg, 0) > to)
			break;
		for (uint32_t p = segment_find_page(seg, from); p < seg->n_pages; p++) {
			uint64_t start = segment_page_ts(seg, p), end = segment_page_end(seg, p);

			if (start > to)
				break;
			add_density(&d, start, end < st->pub.last ? end : st->pub.last,
				    (double)__atomic_load_n(&seg->fill[p], __ATOMIC_RELAXED) *
					    st->page_size / 65535);
		}
	}
	timeline_leave(tl);
}
