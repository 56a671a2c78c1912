// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorder.c - threads that move sub-buffers out of the kernel's ring buffer.
 *
 *  per_cpu/cpuN/trace_pipe_raw ──splice──▶ pipe ──splice──▶ file   full sub-buffers, moved into the
 *                                                                  pipe without copying
 *                              ──read────▶ memory ─────────▶ sink  the partly filled one
 *
 * A thread serves one or several streams (a stream is a CPU of a buffer). There are at most as many
 * threads as CPUs: more would only wait for each other.
 *
 * Waiting. poll() on trace_pipe_raw wakes when the buffer is filled to buffer_percent (setup sets
 * 25 in our instances), so that one wakeup moves hundreds of kilobytes. Some kernels missed that
 * wakeup (fixed in 6.8), so the thread also checks by itself: after 10 ms if there was data the
 * last time, else after up to 200 ms.
 *
 * Lost events. A buffer overruns when its reader does not get to run. The threads request a better
 * priority than the load (nice -10, or real time with -r), which root may have. The pipe is as
 * large as the system allows (usually 1 MB; the default of 64 KB costs sixteen times as many system
 * calls).
 *
 * Flushing. A CPU with few events has them in a sub-buffer that never gets full. Every flush_ms the
 * recorder takes this sub-buffer, so that a recorder that dies loses at most the events of that
 * time. The next sub-buffer of that CPU is merged into it, if there is room (pagemerge.h).
 */
#include "capture/record/recorder.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/lock.h"
#include "base/scope.h"
#include "capture/record/pagemerge.h"
#include "capture/tracefs/rawpipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PIPE_BYTES	 (1 << 20)
#define TAKE_PAGES	 32
#define THREADS_MAX	 64
#define WAIT_SHORT_MS	 10
#define WAIT_LONG_MS	 200
#define TURNS_PER_STREAM 8 /* number of pipe fills before the next stream */

struct stream {
	struct recorder_stream config;
	int fd, pipe[2];
	bool no_splice;
	uint8_t *tail; /* the last sub-buffer, if it was partly filled; NULL: do not merge */
	bool has_tail;
};

struct worker {
	struct recorder *r;
	pthread_t thread;
	struct stream **streams;
	size_t n_streams;
	struct pollfd *polls;
	uint8_t *pages; /* memory for TAKE_PAGES of the largest sub-buffer */
	unsigned wait_ms;
	uint64_t cpu_ns;
};

struct recorder {
	struct recorder_config config;
	struct stream *streams;
	struct worker *workers;
	size_t n_workers, n_running;
	atomic_bool stopping;
	int wake_fd, fail_fd;
	pthread_mutex_t lock; /* protects failure */
	struct errmsg failure;
};

/*
 * Returns true after a failure, for use while workers run. After the last one has ended, `failure`
 * no longer changes.
 */
static bool has_failed(struct recorder *r)
{
	LOCKED(&r->lock);
	return r->failure.code;
}

/* Stores a failure. Only the first one is reported. */
static int fail(struct worker *w, const struct stream *st, int code)
{
	struct recorder *r = w->r;

	pthread_mutex_lock(&r->lock);
	if (!r->failure.code) {
		if (code == -ENOSPC)
			errmsg_set(&r->failure, code,
				   "the disk is full; the file has everything recorded until "
				   "then");
		else if (code == -EFBIG)
			errmsg_set(&r->failure, code,
				   "the file has reached the system's maximum size; it has "
				   "everything recorded until then");
		else
			errmsg_set_errno(&r->failure, code, "cannot continue recording CPU %u",
					 st->config.cpu);
	}
	pthread_mutex_unlock(&r->lock);
	atomic_store(&r->stopping, true);
	rawpipe_ring(r->fail_fd);
	rawpipe_ring(r->wake_fd);
	return code;
}

/*
 * --- moving ------------------------------------------------------------------------------------
 */

static int take_from_pipe(struct worker *w, struct stream *st, size_t n_bytes)
{
	size_t room = (size_t)TAKE_PAGES * st->config.page_size;

	while (n_bytes) {
		size_t want = n_bytes < room ? n_bytes : room, got = 0;

		while (got < want) {
			ssize_t n = read(st->pipe[0], w->pages + got, want - got);

			if (n <= 0 && errno != EINTR)
				return n < 0 ? -errno : -EIO;
			got += n > 0 ? n : 0;
		}
		TRY(st->config.sink.take(st->config.sink.ctx, w->pages, got));
		n_bytes -= got;
	}
	return 0;
}

/* Moves full sub-buffers through the pipe. Returns the bytes moved, or 0 if there are none now. */
static ssize_t move_by_splice(struct worker *w, struct stream *st)
{
	ssize_t n = splice(st->fd, NULL, st->pipe[1], NULL, PIPE_BYTES,
			   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	size_t left;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0 && errno == EINVAL) { /* this kernel does not support splice */
		st->no_splice = true;
		return 0;
	}
	if (n <= 0)
		return n < 0 ? -errno : 0;
	for (left = n; left;) {
		ssize_t m = st->config.sink.splice(st->config.sink.ctx, st->pipe[0], left);

		if (m == -EINVAL) {
			int r = take_from_pipe(w, st, left);

			st->no_splice = true;
			return r < 0 ? r : n;
		}
		if (m <= 0)
			return m < 0 ? m : -EIO;
		left -= m;
	}
	return n;
}

/*
 * Reads the available data, one sub-buffer per read, also partly filled ones. Returns the bytes
 * moved, or 0 if there are none now.
 */
static ssize_t move_by_read(struct worker *w, struct stream *st)
{
	size_t page_size = st->config.page_size, got = 0;

	while (got < TAKE_PAGES * page_size) {
		ssize_t n = read(st->fd, w->pages + got, page_size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n <= 0)
			break;
		memset(w->pages + got + n, 0, page_size - n);
		got += page_size;
	}
	if (!got)
		return 0;
	TRY(st->config.sink.take(st->config.sink.ctx, w->pages, got));
	return (ssize_t)got;
}

/*
 * Takes the sub-buffer that is being filled. Returns the bytes taken, or 0 if there is nothing new.
 */
static ssize_t take_partial(struct worker *w, struct stream *st)
{
	size_t page_size = st->config.page_size;
	ssize_t n;

	do
		n = read(st->fd, w->pages, page_size);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 && errno != EAGAIN ? -errno : 0;
	memset(w->pages + n, 0, page_size - n);
	if (st->has_tail && pagemerge_add(st->tail, w->pages, page_size)) {
		TRY(st->config.sink.replace(st->config.sink.ctx, st->tail, page_size));
		return n;
	}
	TRY(st->config.sink.take(st->config.sink.ctx, w->pages, page_size));
	if (st->tail) {
		memcpy(st->tail, w->pages, page_size);
		st->has_tail = true;
	}
	return n;
}

/* Moves all full sub-buffers, or as many as one turn allows. */
static ssize_t move_stream(struct worker *w, struct stream *st)
{
	ssize_t total = 0;

	for (int i = 0; i < TURNS_PER_STREAM; i++) {
		ssize_t n = st->no_splice ? move_by_read(w, st) : move_by_splice(w, st);

		if (n < 0)
			return fail(w, st, n);
		if (!n)
			break;
		st->has_tail = false;
		total += n;
	}
	return total;
}

static ssize_t move_all(struct worker *w)
{
	ssize_t total = 0;

	for (size_t i = 0; i < w->n_streams; i++) {
		ssize_t n = move_stream(w, w->streams[i]);

		if (n < 0)
			return n;
		total += n;
	}
	return total;
}

/* Moves all sub-buffers, also partly filled ones. */
static int flush_all(struct worker *w)
{
	for (size_t i = 0; i < w->n_streams; i++) {
		struct stream *st = w->streams[i];
		ssize_t n = take_partial(w, st);

		if (n >= 0 && st->config.sink.flush)
			n = st->config.sink.flush(st->config.sink.ctx);
		if (n < 0)
			return fail(w, st, n);
	}
	return 0;
}

/*
 * --- a thread ----------------------------------------------------------------------------------
 */

static void wait_for_data(struct worker *w, bool moved, uint64_t until_ms)
{
	const struct recorder_config *c = &w->r->config;
	uint64_t now = clock_now_ms();
	int left = until_ms > now ? (int)(until_ms - now) : 0;

	if (c->busy)
		return;
	if (c->sleep_us) {
		nanosleep(&(struct timespec){c->sleep_us / 1000000, c->sleep_us % 1000000 * 1000},
			  NULL);
		return;
	}
	w->wait_ms = moved ? WAIT_SHORT_MS
			   : (2 * w->wait_ms < WAIT_LONG_MS ? 2 * w->wait_ms : WAIT_LONG_MS);
	poll(w->polls, w->n_streams + 1, left < (int)w->wait_ms ? left : (int)w->wait_ms);
}

static void finish(struct worker *w)
{
	while (move_all(w) > 0)
		;
	for (size_t i = 0; i < w->n_streams; i++) {
		ssize_t n;

		do
			n = take_partial(w, w->streams[i]);
		while (n > 0);
		if (n < 0)
			fail(w, w->streams[i], n);
	}
	flush_all(w);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct recorder_config *c = &w->r->config;
	uint64_t interval = c->flush_ms ? c->flush_ms : 3600000, next = clock_now_ms() + interval;
	struct timespec used;

	rawpipe_raise_priority(c->rt_priority);
	w->wait_ms = WAIT_SHORT_MS;
	while (!atomic_load(&w->r->stopping)) {
		ssize_t n = move_all(w);

		if (n >= 0 && clock_now_ms() >= next) {
			n = c->flush_ms ? flush_all(w) : n;
			next = clock_now_ms() + interval;
		}
		if (n < 0)
			break;
		wait_for_data(w, n > 0, next);
	}
	if (!has_failed(w->r))
		finish(w);
	if (!clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used))
		w->cpu_ns = used.tv_sec * 1000000000ull + used.tv_nsec;
	return NULL;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static int open_stream(struct recorder *r, struct stream *st, struct errmsg *err)
{
	const struct recorder_stream *c = &st->config;

	st->pipe[0] = st->pipe[1] = -1;
	st->no_splice = r->config.no_splice || !c->sink.splice;
	st->fd = rawpipe_open(r->config.t, c->instance, c->cpu, c->snapshot, err);
	if (st->fd < 0)
		return st->fd;
	if (c->sink.replace)
		st->tail = malloc(c->page_size);
	if (st->no_splice)
		return 0;
	if (pipe2(st->pipe, O_CLOEXEC))
		return errmsg_set_errno(err, -errno, "cannot create a pipe for CPU %u", c->cpu);
	for (int size = PIPE_BYTES; size > 65536 && fcntl(st->pipe[0], F_SETPIPE_SZ, size) < 0;)
		size /= 2;
	return 0;
}

static void recorder_free(struct recorder *r)
{
	for (size_t i = 0; r->streams && i < r->config.n_streams; i++) {
		struct stream *st = &r->streams[i];

		if (st->fd >= 0)
			close(st->fd);
		free(st->tail);
		if (st->pipe[0] >= 0) {
			close(st->pipe[0]);
			close(st->pipe[1]);
		}
	}
	for (size_t i = 0; i < r->n_workers; i++) {
		free(r->workers[i].streams);
		free(r->workers[i].polls);
		free(r->workers[i].pages);
	}
	if (r->wake_fd >= 0)
		close(r->wake_fd);
	if (r->fail_fd >= 0)
		close(r->fail_fd);
	pthread_mutex_destroy(&r->lock);
	free(r->workers);
	free(r->streams);
	free(r);
}

/*
 * Assigns the streams to threads in turn, so that the CPUs of a busy buffer belong to different
 * threads.
 */
static int deal_streams(struct recorder *r)
{
	uint32_t page_size = 0;

	for (size_t i = 0; i < r->config.n_streams; i++)
		if (r->streams[i].config.page_size > page_size)
			page_size = r->streams[i].config.page_size;
	for (size_t i = 0; i < r->n_workers; i++) {
		struct worker *w = &r->workers[i];

		w->r = r;
		w->streams = calloc(r->config.n_streams, sizeof(*w->streams));
		w->polls = calloc(r->config.n_streams + 1, sizeof(*w->polls));
		w->pages = malloc((size_t)TAKE_PAGES * page_size);
		if (!w->streams || !w->polls || !w->pages)
			return -ENOMEM;
		for (size_t k = i; k < r->config.n_streams; k += r->n_workers) {
			w->polls[w->n_streams] = (struct pollfd){r->streams[k].fd, POLLIN, 0};
			w->streams[w->n_streams++] = &r->streams[k];
		}
		w->polls[w->n_streams] = (struct pollfd){r->wake_fd, POLLIN, 0};
	}
	return 0;
}

/*
 * Raises the limit of open files: each stream needs three files, so 400 CPUs exceed the default
 * limit.
 */
static void allow_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int recorder_new(struct recorder **ret_recorder, const struct recorder_config *config,
			size_t n_workers, struct errmsg *err)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int code = 0;

	if (!r)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	r->config = *config;
	allow_files();
	pthread_mutex_init(&r->lock, NULL);
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->fail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->streams = calloc(config->n_streams, sizeof(*r->streams));
	r->workers = calloc(n_workers, sizeof(*r->workers));
	if (!r->streams || !r->workers || r->wake_fd < 0 || r->fail_fd < 0)
		code = errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (size_t i = 0; r->streams && i < config->n_streams; i++) {
		r->streams[i] =
			(struct stream){.config = config->streams[i], .fd = -1, .pipe = {-1, -1}};
		if (!code)
			code = open_stream(r, &r->streams[i], err);
	}
	r->n_workers = r->workers ? n_workers : 0;
	if (!code && deal_streams(r) < 0)
		code = errmsg_set_errno(err, -ENOMEM, "cannot record");
	if (code < 0) {
		recorder_free(r);
		return code;
	}
	*ret_recorder = r;
	return 0;
}

int recorder_start(struct recorder **ret_recorder, const struct recorder_config *config,
		   struct errmsg *err)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t n = config->n_streams;
	struct recorder *r;
	int code;

	n = n_cpus > 0 && n > (size_t)n_cpus ? (size_t)n_cpus : n;
	n = n > THREADS_MAX ? THREADS_MAX : n;
	code = recorder_new(&r, config, n, err);
	TRY(code);
	for (; r->n_running < r->n_workers; r->n_running++) {
		struct worker *w = &r->workers[r->n_running];

		code = -pthread_create(&w->thread, NULL, work, w);
		if (code < 0) {
			struct errmsg ignored = {0};
			uint64_t cpu_ns;

			recorder_stop(r, &cpu_ns, &ignored);
			return errmsg_set_errno(err, code, "cannot start a thread that records");
		}
	}
	*ret_recorder = r;
	return 0;
}

int recorder_fd(const struct recorder *r)
{
	return r->fail_fd;
}

int recorder_stop(struct recorder *r, uint64_t *ret_cpu_ns, struct errmsg *err)
{
	uint64_t cpu_ns = 0;
	int code;

	atomic_store(&r->stopping, true);
	rawpipe_ring(r->wake_fd);
	for (size_t i = 0; i < r->n_running; i++) {
		pthread_join(r->workers[i].thread, NULL);
		cpu_ns += r->workers[i].cpu_ns;
	}
	*ret_cpu_ns = cpu_ns;
	code = r->failure.code;
	if (code && !err->code)
		*err = r->failure;
	recorder_free(r);
	return code;
}

int recorder_drain(const struct recorder_config *config, struct errmsg *err)
{
	struct recorder *r;
	int code = recorder_new(&r, config, 1, err);

	TRY(code);
	finish(&r->workers[0]);
	code = r->failure.code;
	if (code && !err->code)
		*err = r->failure;
	recorder_free(r);
	return code;
}
