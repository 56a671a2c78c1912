// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * conveyor.c - an ordered pipeline in which every thread does what is needed next.
 *
 * There is no thread for input and none for output: a free thread checks, under one lock, for
 *   1. draining: the oldest item is done and nobody drains: take the drain role;
 *   2. filling: there is a free slot and nobody fills: take the fill role, then work on that item.
 * Otherwise it waits, spinning first. A thread that fills an item works on it at once, while it is
 * in its cache.
 *
 *	     tail (oldest not drained)        head (next to fill)
 *	       v                                v
 *	 ... [DONE] [WORKING] [DONE] [WORKING] [FREE] ...      slot = number % n_items
 *
 * Invariants, all under `lock`: tail <= head <= tail + n_items; items in [tail, head) are WORKING
 * or DONE; at most one thread has `filling`, at most one `draining`. On a failure `result` is set
 * and every thread ends as soon as it holds nothing.
 */
#include "base/conveyor.h"
#include "base/lock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 64
#define SPINS	    1500

struct conveyor {
	const struct conveyor_job *job;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool *done; /* whether the item of a slot is done */
	size_t head, tail;
	bool filling, draining, eof;
	int result;
	unsigned n_waiting;
	atomic_uint n_threads; /* started threads; gives each its number */
	atomic_uint n_changes; /* spinning threads read it without the lock */
};

static void announce(struct conveyor *c)
{
	atomic_fetch_add_explicit(&c->n_changes, 1, memory_order_relaxed);
	if (c->n_waiting)
		pthread_cond_broadcast(&c->changed);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/*
 * Called with the lock held. Filling an item takes about 15 µs, less than sleeping and waking up,
 * so the thread first spins for about that long.
 */
static void wait_for_change(struct conveyor *c)
{
	unsigned seen = atomic_load_explicit(&c->n_changes, memory_order_relaxed);

	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < SPINS; i++) {
		if (atomic_load_explicit(&c->n_changes, memory_order_relaxed) != seen)
			break;
		relax();
	}
	pthread_mutex_lock(&c->lock);
	if (atomic_load_explicit(&c->n_changes, memory_order_relaxed) != seen)
		return;
	c->n_waiting++;
	pthread_cond_wait(&c->changed, &c->lock);
	c->n_waiting--;
}

static bool can_drain(const struct conveyor *c)
{
	return !c->draining && c->tail < c->head && c->done[c->tail % c->job->n_items];
}

static bool can_fill(const struct conveyor *c)
{
	return !c->filling && !c->eof && c->head - c->tail < c->job->n_items;
}

static bool is_over(const struct conveyor *c)
{
	return c->result < 0 || (c->eof && c->tail == c->head);
}

static void drain_ready(struct conveyor *c)
{
	c->draining = true;
	while (c->result >= 0 && c->tail < c->head && c->done[c->tail % c->job->n_items]) {
		void *item = c->job->items[c->tail % c->job->n_items];
		int r;

		pthread_mutex_unlock(&c->lock);
		r = c->job->drain(c->job->ctx, item);
		pthread_mutex_lock(&c->lock);
		if (r < 0 && c->result >= 0)
			c->result = r;
		c->tail++;
		announce(c);
	}
	c->draining = false;
}

static void fill_and_work(struct conveyor *c, unsigned thread)
{
	size_t slot = c->head % c->job->n_items;
	int r;

	c->filling = true;
	pthread_mutex_unlock(&c->lock);
	r = c->job->fill(c->job->ctx, c->job->items[slot]);
	pthread_mutex_lock(&c->lock);
	c->filling = false;
	if (r <= 0) {
		c->eof = true;
		if (r < 0 && c->result >= 0)
			c->result = r;
	} else {
		c->done[slot] = false;
		c->head++;
	}
	announce(c);
	if (r <= 0)
		return;
	pthread_mutex_unlock(&c->lock);
	c->job->work(c->job->ctx, c->job->items[slot], thread);
	pthread_mutex_lock(&c->lock);
	c->done[slot] = true;
}

static void *conveyor_thread(void *arg)
{
	struct conveyor *c = arg;
	unsigned thread = atomic_fetch_add_explicit(&c->n_threads, 1, memory_order_relaxed);

	LOCKED(&c->lock);
	while (!is_over(c)) {
		if (can_drain(c))
			drain_ready(c);
		else if (can_fill(c))
			fill_and_work(c, thread);
		else
			wait_for_change(c);
	}
	announce(c);
	return NULL;
}

static int conveyor_run_alone(const struct conveyor_job *job)
{
	int r;

	while ((r = job->fill(job->ctx, job->items[0])) > 0) {
		job->work(job->ctx, job->items[0], 0);
		r = job->drain(job->ctx, job->items[0]);
		if (r < 0)
			break;
	}
	return r;
}

int conveyor_run(const struct conveyor_job *job)
{
	struct conveyor c = {
		.job = job, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
	pthread_t threads[THREADS_MAX];
	unsigned n = 0, want = job->n_threads > THREADS_MAX ? THREADS_MAX : job->n_threads;

	c.done = want > 1 && job->n_items > 1 ? calloc(job->n_items, sizeof(*c.done)) : NULL;
	if (!c.done)
		return conveyor_run_alone(job);
	/* The caller is one of the threads; if others cannot be created, fewer do the work. */
	while (n + 1 < want && !pthread_create(&threads[n], NULL, conveyor_thread, &c))
		n++;
	conveyor_thread(&c);
	while (n)
		pthread_join(threads[--n], NULL);
	free(c.done);
	pthread_mutex_destroy(&c.lock);
	pthread_cond_destroy(&c.changed);
	return c.result;
}

unsigned conveyor_default_threads(void)
{
	const char *env = getenv("SONDE_JOBS");
	long n = env ? atol(env) : 0;
	cpu_set_t set;

	if (n <= 0)
		n = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN)
							    : CPU_COUNT(&set);
	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : n;
}
