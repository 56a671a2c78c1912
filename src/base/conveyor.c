// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * conveyor.c - an ordered pipeline in which every thread does what is needed next.
 *
 * There is no thread for input and none for output: a free thread checks, under one lock, for
 *   1. draining: the oldest item is done and nobody drains: take the drain role;
 *   2. filling: there is a free item and nobody fills: take the fill role, then work on that item.
 * A thread that fills an item works on it at once, while it is in its cache. For the same reason
 * the item that was drained last is filled next: a ring may be large, and yet few items are in use.
 *
 *	     tail (oldest not drained)        head (next to fill)
 *	       v                                v
 *	 ... [DONE] [WORKING] [DONE] [WORKING] [    ] ...      order[number % n_items] is the item
 *
 * Invariants, all under `lock`: tail <= head <= tail + n_items; items in [tail, head) are WORKING
 * or DONE; at most one thread has `filling`, at most one `draining`. On a failure `result` is set
 * and every thread ends as soon as it holds nothing.
 *
 * Filling is serial, so only some threads help: as many as keep the fill role taken. Further ones
 * would only wait for it, and a thread that is woken for each item costs more than it brings. So
 * threads start one by one, and never more run than there are CPUs:
 *   - A thread that finds the fill role taken spins, twice as long as filling takes on average.
 *     Then it is not needed: it sleeps, and `pause` doubles.
 *   - If filling takes longer than SPIN_MAX_NS, a wake-up is cheap beside it: the thread sleeps at
 *     once, and the one that fills wakes it.
 *   - When nobody had to wait for `pause` items, one more thread starts or wakes. If the last one
 *     that woke is still needed then, `pause` halves.
 *   - A thread that finds no free item sleeps at once: the output is slow, or a thread lost its CPU
 *     with the oldest item. It wakes when half of the items are free.
 * A sleeping thread is never needed for progress: one that fills, works or drains looks for its
 * next step itself.
 *
 * Tried and dropped: waking all that wait at every change, which made 16 threads on two CPUs 1.9
 * times slower than two.
 */
#include "base/conveyor.h"
#include "base/lock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 64
#define SPIN_MIN_NS 5000
#define SPIN_MAX_NS 100000
#define AVERAGE_OF  8
#define RELAX_MAX   32	/* pauses between two looks at the clock */
#define PAUSE_MAX   256 /* items; they take some 20 ms */

struct member {
	struct conveyor *conveyor;
	pthread_t thread;
	bool is_started;
};

struct conveyor {
	const struct conveyor_job *job;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	size_t *order; /* items in [tail, head) */
	size_t *idle;  /* the other items; the last one is filled next */
	size_t n_idle;
	bool *done; /* whether the work on an item is done */
	size_t head, tail;
	bool filling, draining, eof;
	int result;
	atomic_uint n_changes; /* spinning threads read it without the lock */

	struct member members[THREADS_MAX]; /* [0] is the caller */
	unsigned n_threads, max_threads;
	unsigned n_asleep, n_woken; /* n_woken of them may go on */
	unsigned n_full;	    /* threads that sleep because no item was free */
	unsigned n_heirs;	    /* threads that sleep until the fill role is free */
	unsigned pause, n_filled, n_waits;
	uint64_t fill_ns;  /* how long filling takes, on average */
	bool was_too_many; /* a thread found nothing to do since the last one was woken */
};

static void *conveyor_thread(void *arg);

static void announce(struct conveyor *c)
{
	atomic_fetch_add_explicit(&c->n_changes, 1, memory_order_relaxed);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool can_drain(const struct conveyor *c)
{
	return !c->draining && c->tail < c->head && c->done[c->order[c->tail % c->job->n_items]];
}

static bool can_fill(const struct conveyor *c)
{
	return !c->filling && !c->eof && c->n_idle;
}

/* After the end of the input, those that work on the last items also drain them. */
static bool is_over(const struct conveyor *c)
{
	return c->result < 0 || (c->eof && !can_drain(c));
}

/* --- how many threads ------------------------------------------------------------------------- */

/* Returns false if no thread sleeps that nobody has woken. */
static bool wake_one(struct conveyor *c)
{
	if (c->n_woken == c->n_asleep)
		return false;
	c->n_woken++;
	pthread_cond_signal(&c->wake);
	return true;
}

static void sleep_until_woken(struct conveyor *c)
{
	c->n_asleep++;
	while (!c->n_woken && !is_over(c))
		pthread_cond_wait(&c->wake, &c->lock);
	if (c->n_woken)
		c->n_woken--;
	c->n_asleep--;
}

/* Called with the lock held, after an item was filled. Returns true if one more thread may help. */
static bool wants_more(struct conveyor *c)
{
	bool had_waits = c->n_waits;

	if (++c->n_filled < c->pause)
		return false;
	c->n_filled = c->n_waits = 0;
	if (had_waits)
		return false;
	if (!c->was_too_many && c->pause > 1)
		c->pause /= 2;
	c->was_too_many = false;
	return true;
}

/* Starts a thread. The lock is not held meanwhile. If it cannot be started, fewer do the work. */
static void start_one(struct conveyor *c)
{
	struct member *m = &c->members[c->n_threads++];

	m->conveyor = c;
	pthread_mutex_unlock(&c->lock);
	m->is_started = !pthread_create(&m->thread, NULL, conveyor_thread, m);
	pthread_mutex_lock(&c->lock);
	if (!m->is_started)
		c->max_threads = 0;
}

static void add_one(struct conveyor *c)
{
	if (!wake_one(c) && c->n_threads < c->max_threads)
		start_one(c);
}

/* Called with the lock held, which it gives up meanwhile. Returns true if something changed. */
static bool spin(struct conveyor *c)
{
	unsigned seen = atomic_load_explicit(&c->n_changes, memory_order_relaxed);
	uint64_t end = 2 * c->fill_ns < SPIN_MIN_NS ? SPIN_MIN_NS : 2 * c->fill_ns;

	pthread_mutex_unlock(&c->lock);
	end += now_ns();
	do
		for (int i = 0; i < RELAX_MAX; i++)
			relax();
	while (atomic_load_explicit(&c->n_changes, memory_order_relaxed) == seen && now_ns() < end);
	pthread_mutex_lock(&c->lock);
	return atomic_load_explicit(&c->n_changes, memory_order_relaxed) != seen;
}

/* Called with the lock held, when there is nothing to do. */
static void wait_for_change(struct conveyor *c)
{
	c->n_waits++;
	if (!c->n_idle) {
		c->n_full++;
		sleep_until_woken(c);
		return;
	}
	if (c->fill_ns > SPIN_MAX_NS) {
		c->n_heirs++;
		sleep_until_woken(c);
		return;
	}
	if (spin(c))
		return;
	c->was_too_many = true;
	c->pause = c->pause < PAUSE_MAX ? c->pause * 2 : PAUSE_MAX;
	sleep_until_woken(c);
}

/* --- the steps -------------------------------------------------------------------------------- */

static void drain_one(struct conveyor *c, size_t item)
{
	int r;

	pthread_mutex_unlock(&c->lock);
	r = c->job->drain(c->job->ctx, c->job->items[item]);
	pthread_mutex_lock(&c->lock);
	if (r < 0 && c->result >= 0)
		c->result = r;
	c->tail++;
	c->idle[c->n_idle++] = item;
	announce(c);
	if (c->n_full && c->n_idle >= c->job->n_items / 2) {
		c->n_full--;
		wake_one(c);
	}
}

static void drain_ready(struct conveyor *c)
{
	while (c->result >= 0 && can_drain(c)) {
		size_t item = c->order[c->tail % c->job->n_items];

		c->draining = true;
		drain_one(c, item);
		c->draining = false;
	}
}

/* A thread that lost its CPU meanwhile shall not count much. */
static void note_filled(struct conveyor *c, uint64_t took)
{
	took = took < 4 * SPIN_MAX_NS ? took : 4 * SPIN_MAX_NS;
	c->fill_ns += took / AVERAGE_OF - c->fill_ns / AVERAGE_OF;
	announce(c);
	if (c->n_heirs) {
		c->n_heirs--;
		wake_one(c);
	}
}

static void fill_and_work(struct conveyor *c, unsigned thread)
{
	size_t item = c->idle[--c->n_idle];
	uint64_t took;
	int r;

	c->filling = true;
	pthread_mutex_unlock(&c->lock);
	took = now_ns();
	r = c->job->fill(c->job->ctx, c->job->items[item]);
	took = now_ns() - took;
	pthread_mutex_lock(&c->lock);
	c->filling = false;
	note_filled(c, took);
	if (r <= 0) {
		c->eof = true;
		if (r < 0 && c->result >= 0)
			c->result = r;
		return;
	}
	c->done[item] = false;
	c->order[c->head++ % c->job->n_items] = item;
	if (wants_more(c))
		add_one(c);
	pthread_mutex_unlock(&c->lock);
	c->job->work(c->job->ctx, c->job->items[item], thread);
	pthread_mutex_lock(&c->lock);
	c->done[item] = true;
}

static void conveyor_go(struct conveyor *c, unsigned thread)
{
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
	pthread_cond_broadcast(&c->wake);
}

static void *conveyor_thread(void *arg)
{
	struct member *m = arg;

	conveyor_go(m->conveyor, m - m->conveyor->members);
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

/* A thread is started by one with a lower number, which has stored its handle when it ends. */
static void join_all(struct conveyor *c)
{
	for (unsigned i = 1; i < c->n_threads; i++)
		if (c->members[i].is_started)
			pthread_join(c->members[i].thread, NULL);
}

static int run_threads(struct conveyor *c)
{
	size_t n = c->job->n_items;

	for (c->n_idle = 0; c->n_idle < n; c->n_idle++)
		c->idle[c->n_idle] = n - 1 - c->n_idle;
	conveyor_go(c, 0);
	join_all(c);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->wake);
	return c->result;
}

int conveyor_run(const struct conveyor_job *job)
{
	unsigned n_cpus = job->n_cpus ? job->n_cpus : conveyor_n_cpus();
	unsigned n = job->n_threads < n_cpus ? job->n_threads : n_cpus;
	struct conveyor c = {.job = job,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .wake = PTHREAD_COND_INITIALIZER,
			     .n_threads = 1,
			     .max_threads = n < THREADS_MAX ? n : THREADS_MAX,
			     .pause = 1};
	int r;

	c.order = n > 1 && job->n_items > 1 ? calloc(2 * job->n_items, sizeof(*c.order)) : NULL;
	c.done = c.order ? calloc(job->n_items, sizeof(*c.done)) : NULL;
	c.idle = c.done ? c.order + job->n_items : NULL;
	r = c.done ? run_threads(&c) : conveyor_run_alone(job);
	free(c.order);
	free(c.done);
	return r;
}

unsigned conveyor_n_cpus(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN)
							 : CPU_COUNT(&set);

	return n < 1 ? 1 : n > THREADS_MAX ? THREADS_MAX : n;
}

unsigned conveyor_default_threads(void)
{
	const char *env = getenv("SONDE_JOBS");
	long n = env ? atol(env) : 0;

	return n <= 0 ? conveyor_n_cpus() : n > THREADS_MAX ? THREADS_MAX : n;
}
