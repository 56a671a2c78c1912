// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pool.c - the threads of a timeline, which do the jobs of callers first, and then index segments.
 *
 *	timeline_parallel()   the caller works, too, so it never waits for a thread that has not
 *	                      started, and a job may start its own jobs
 *	segments              those nearest to the visible range (hint) first. Each stream knows its
 *	                      next segment on the left and on the right of the hint:
 *
 *	                          [done][todo][todo][done][done][done][todo][todo]
 *	                                      left ┘  └─ hint ─┘        └ right
 *
 * The thread that finishes the last segment saves the sidecar.
 */
#include "timeline/timeline_int.h"

#include "base/lock.h"
#include "base/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* --- jobs ------------------------------------------------------------------------------------- */

/*
 * Takes and runs one number of a job. Returns false if there was none. The caller holds the lock.
 */
static bool job_run_one(struct timeline *tl, struct job *job)
{
	size_t i;

	if (job->next == job->n)
		return false;
	i = job->next++;
	job->n_running++;
	pthread_mutex_unlock(&tl->lock);
	job->run(job->ctx, i);
	pthread_mutex_lock(&tl->lock);
	job->n_running--;
	if (job->next == job->n && !job->n_running)
		pthread_cond_broadcast(&tl->idle);
	return true;
}

static struct job *find_job(struct timeline *tl)
{
	struct job *job = tl->jobs;

	while (job && job->next == job->n)
		job = job->next_job;
	return job;
}

void timeline_parallel(struct timeline *tl, size_t n, void (*run)(void *ctx, size_t i), void *ctx)
{
	struct job job = {.run = run, .ctx = ctx, .n = n}, **p;

	if (!n)
		return;
	LOCKED(&tl->lock);
	job.next_job = tl->jobs;
	tl->jobs = &job;
	if (n > 1)
		pthread_cond_broadcast(&tl->work);
	while (job_run_one(tl, &job))
		continue;
	while (job.n_running)
		pthread_cond_wait(&tl->idle, &tl->lock);
	for (p = &tl->jobs; *p != &job; p = &(*p)->next_job)
		continue;
	*p = job.next_job;
}

/* --- segments --------------------------------------------------------------------------------- */

static bool is_todo(const struct index_segment *seg)
{
	return atomic_load_explicit(&seg->state, memory_order_relaxed) == SEGMENT_TODO;
}

static void aim(struct timeline *tl, struct stream *st)
{
	long i = stream_find_segment(st, tl->hint_from);

	st->left = st->right = i < 0 ? 0 : i;
}

/* Returns the nearer of a stream's two candidates, and its distance. */
static struct index_segment *candidate(struct timeline *tl, struct stream *st,
				       uint64_t *ret_distance)
{
	struct index_segment *right = NULL, *left = NULL;
	uint64_t to_right = 0, to_left = 0;

	while (st->right < st->n_segments && !is_todo(st->segments[st->right]))
		st->right++;
	while (st->left && !is_todo(st->segments[st->left - 1]))
		st->left--;
	if (st->right < st->n_segments) {
		right = st->segments[st->right];
		to_right = segment_page_ts(right, 0);
		to_right = to_right > tl->hint_to ? to_right - tl->hint_to : 0;
	}
	if (st->left) {
		left = st->segments[st->left - 1];
		to_left = left->end_ts;
		to_left = tl->hint_from > to_left ? tl->hint_from - to_left : 1;
	}
	if (right && (!left || to_right <= to_left)) {
		*ret_distance = to_right;
		return right;
	}
	*ret_distance = to_left;
	return left;
}

static struct index_segment *find_segment(struct timeline *tl)
{
	struct index_segment *best = NULL;
	uint64_t nearest = UINT64_MAX;

	if (!tl->is_started || !tl->n_todo)
		return NULL;
	for (uint32_t i = 0; i < tl->n_streams; i++) {
		uint64_t distance;
		struct index_segment *seg = candidate(tl, tl->streams[i], &distance);

		if (seg && (!best || distance < nearest)) {
			best = seg;
			nearest = distance;
		}
	}
	return best;
}

/* The caller holds the lock. */
static void finish_if_done(struct timeline *tl)
{
	unsigned n_refused = shortage_count_here();

	if (tl->n_todo || tl->n_busy)
		return;
	timeline_resolve_threads(tl);
	if (shortage_count_here() != n_refused)
		tl->error = -ENOMEM;
	if (!tl->error && !tl->is_live && !tl->is_saved && !tl->stop) {
		tl->is_saved = true;
		pthread_cond_broadcast(&tl->idle);
		pthread_mutex_unlock(&tl->lock);
		sidecar_save(tl);
		pthread_mutex_lock(&tl->lock);
	}
	pthread_cond_broadcast(&tl->idle);
}

/* The caller holds the lock. */
static void segment_done(struct timeline *tl, struct index_segment *seg, int r)
{
	if (r < 0)
		tl->error = r;
	else
		atomic_fetch_add(&tl->n_bytes, seg->blob_bytes);
	atomic_store_explicit(&seg->state, r < 0 ? SEGMENT_FAILED : SEGMENT_READY,
			      memory_order_release);
	tl->n_pages_done += seg->n_pages;
	timeline_stitch(tl, tl->streams[seg->stream]);
	finish_if_done(tl);
}

/* The caller holds the lock. */
static void run_segment(struct timeline *tl, struct indexer *ix, struct index_segment *seg)
{
	int r;

	atomic_store(&seg->state, SEGMENT_BUSY);
	tl->n_todo--;
	tl->n_busy++;
	pthread_mutex_unlock(&tl->lock);
	r = indexer_run(ix, tl, seg);
	pthread_mutex_lock(&tl->lock);
	tl->n_busy--;
	segment_done(tl, seg, r);
}

static void count_segment(struct timeline *tl, const struct index_segment *seg)
{
	tl->n_pages += seg->n_pages;
	atomic_fetch_add(&tl->n_bytes, seg->n_pages * (sizeof(*seg->page_ts) + sizeof(*seg->fill)) +
					       sizeof(*seg));
}

void pool_add_segment(struct timeline *tl, struct index_segment *seg)
{
	atomic_store(&seg->state, SEGMENT_TODO);
	tl->n_todo++;
	count_segment(tl, seg);
}

void pool_add_indexed(struct timeline *tl, struct index_segment *seg)
{
	count_segment(tl, seg);
	segment_done(tl, seg, 0);
}

static void *thread_run(void *arg)
{
	struct timeline *tl = arg;
	struct indexer *ix = NULL;

	pthread_mutex_lock(&tl->lock);
	while (!tl->stop) {
		struct job *job = find_job(tl);
		struct index_segment *seg = job ? NULL : find_segment(tl);

		if (job) {
			job_run_one(tl, job);
		} else if (seg && !ix && !(ix = indexer_new())) {
			tl->n_todo--;
			segment_done(tl, seg, -ENOMEM);
		} else if (seg) {
			run_segment(tl, ix, seg);
		} else {
			/* an indexer is large and may not be needed again */
			indexer_free(ix);
			ix = NULL;
			pthread_cond_wait(&tl->work, &tl->lock);
		}
	}
	pthread_mutex_unlock(&tl->lock);
	indexer_free(ix);
	return NULL;
}

int pool_start(struct timeline *tl)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n = tl->n_asked ? tl->n_asked : n_cpus > 0 ? n_cpus : 1;

	if (n > THREADS_MAX)
		n = THREADS_MAX;
	while (tl->n_threads < n &&
	       !pthread_create(&tl->threads[tl->n_threads], NULL, thread_run, tl))
		tl->n_threads++;
	return tl->n_threads ? 0 : -1;
}

void pool_stop(struct timeline *tl)
{
	pthread_mutex_lock(&tl->lock);
	tl->stop = true;
	pthread_cond_broadcast(&tl->work);
	pthread_cond_broadcast(&tl->idle);
	pthread_mutex_unlock(&tl->lock);
	while (tl->n_threads)
		pthread_join(tl->threads[--tl->n_threads], NULL);
}

void timeline_hint(struct timeline *tl, uint64_t from, uint64_t to)
{
	timeline_enter(tl);
	pthread_mutex_lock(&tl->lock);
	tl->hint_from = from;
	tl->hint_to = to < from ? from : to;
	for (uint32_t i = 0; i < tl->n_streams; i++)
		aim(tl, tl->streams[i]);
	pthread_mutex_unlock(&tl->lock);
	timeline_leave(tl);
}

float timeline_progress(const struct timeline *tl)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&tl->lock;

	LOCKED(lock);
	return tl->n_pages ? (float)tl->n_pages_done / (float)tl->n_pages : 1;
}

int timeline_error(const struct timeline *tl)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)&tl->lock;

	LOCKED(lock);
	return tl->error;
}

int timeline_wait(struct timeline *tl)
{
	LOCKED(&tl->lock);
	while (tl->is_started && !tl->stop && (tl->n_todo || tl->n_busy) && !tl->error)
		pthread_cond_wait(&tl->idle, &tl->lock);
	return tl->error;
}
