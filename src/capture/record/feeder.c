// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * feeder.c - a thread that passes all CPUs' sub-buffers to livepages.h, round by round.
 *
 *	round:  begin ─▶ CPU 0: read, read, … nothing more ─▶ set_read ─▶ CPU 1: … ─▶ nap ─▶ next
 *
 * A read of trace_pipe_raw returns a full sub-buffer, or the current contents of the one that is
 * being written; a later read returns the rest of it. A round takes at most ROUND_PAGES of a CPU,
 * so that a busy CPU does not delay the others; the next round follows at once and takes the rest.
 * One thread is enough: reading copies 4 KB, which is a hundred times faster than decoding them.
 *
 * If too much waits to be decoded, a CPU is skipped (livepages_has_room) and the kernel's buffer
 * fills up. The kernel counts the events that it then loses.
 */
#include "capture/record/feeder.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "capture/tracefs/rawpipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_US    50000
#define FULL_US	    2000 /* time between rounds, while a CPU has no room */
#define ROUND_PAGES 256

struct stream {
	struct live_stream config;
	int fd;
};

struct liverecorder {
	struct liverecorder_config config;
	struct stream *streams;
	uint8_t *page; /* memory of the size of the largest sub-buffer */
	pthread_t thread;
	atomic_bool finishing;
	atomic_uint within_ms;
	int wake_fd, fail_fd;
	unsigned other_us;     /* how long the other source may wait; 0: there is none */
	struct errmsg failure; /* belongs to the thread until it has ended */
};

enum turn { TURN_EMPTY, TURN_MORE, TURN_FULL, TURN_FAILED };

/*
 * --- rounds ------------------------------------------------------------------------------------
 */

static enum turn read_stream(struct liverecorder *r, struct stream *st, uint64_t round)
{
	const struct live_stream *c = &st->config;
	struct livepages *pages = r->config.pages;

	for (int i = 0; i < ROUND_PAGES; i++) {
		ssize_t n;
		int code;

		if (!livepages_has_room(pages, c->buffer, c->cpu))
			return TURN_FULL;
		n = read(st->fd, r->page, c->page_size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) { /* EAGAIN; or the CPU is offline now, and must not delay others */
			livepages_set_read(pages, c->buffer, c->cpu, round);
			return TURN_EMPTY;
		}
		code = livepages_add(pages, c->buffer, c->cpu, r->page, n);
		if (code < 0) {
			errmsg_set_errno(&r->failure, code, "cannot store the events of CPU %u",
					 c->cpu);
			return TURN_FAILED;
		}
	}
	return TURN_MORE;
}

static enum turn read_other(struct liverecorder *r, uint64_t round, bool is_last)
{
	int us = r->config.read_other(r->config.other_ctx, round, is_last);

	r->other_us = us > 0 ? (unsigned)us : 0;
	if (us == -EAGAIN)
		return TURN_FULL;
	if (us < 0)
		errmsg_set_errno(&r->failure, us, "cannot store the events of user functions");
	return us < 0 ? TURN_FAILED : us ? TURN_EMPTY : TURN_MORE;
}

/* Reads all CPUs. Returns why the round is incomplete, the worst reason of all CPUs. */
static enum turn read_all(struct liverecorder *r)
{
	uint64_t round = livepages_begin_round(r->config.pages);
	enum turn worst = TURN_EMPTY;

	for (size_t i = 0; i < r->config.n_streams && worst != TURN_FAILED; i++) {
		enum turn t = read_stream(r, &r->streams[i], round);

		worst = t > worst ? t : worst;
	}
	if (r->config.read_other && worst != TURN_FAILED) {
		enum turn t = read_other(r, round, false);

		worst = t > worst ? t : worst;
	}
	return worst;
}

static void nap(const struct liverecorder *r, enum turn last)
{
	unsigned us = last == TURN_FULL	   ? FULL_US
		      : r->config.sleep_us ? r->config.sleep_us
					   : SLEEP_US;
	struct pollfd p = {r->wake_fd, POLLIN, 0};
	struct timespec ts;

	if (r->other_us && r->other_us < us)
		us = r->other_us;
	ts = (struct timespec){us / 1000000, us % 1000000 * 1000};
	if (last == TURN_MORE || (r->config.busy && last != TURN_FULL))
		return;
	ppoll(&p, 1, &ts, NULL);
}

/* Reads until everything is read, or until the time limit. */
static void read_rest(struct liverecorder *r)
{
	unsigned within = atomic_load(&r->within_ms);
	uint64_t until = within == UINT_MAX ? UINT64_MAX : clock_now_ms() + within;
	enum turn t;

	do {
		t = read_all(r);
		if (t == TURN_FULL)
			nanosleep(&(struct timespec){0, FULL_US * 1000}, NULL);
		/* liverecorder_finish() was called again with less time */
		if (within != atomic_load(&r->within_ms)) {
			within = atomic_load(&r->within_ms);
			until = clock_now_ms() + within;
		}
	} while (t != TURN_EMPTY && t != TURN_FAILED && clock_now_ms() < until);
}

static void *work(void *arg)
{
	struct liverecorder *r = arg;
	enum turn t = TURN_EMPTY;

	rawpipe_raise_priority(r->config.rt_priority);
	while (!atomic_load(&r->finishing) && t != TURN_FAILED) {
		t = read_all(r);
		if (t != TURN_FAILED)
			nap(r, t);
	}
	if (t != TURN_FAILED)
		read_rest(r);
	if (r->config.read_other)
		read_other(r, livepages_begin_round(r->config.pages), true);
	livepages_end(r->config.pages);
	if (r->failure.code)
		rawpipe_ring(r->fail_fd);
	return NULL;
}

/*
 * --- life --------------------------------------------------------------------------------------
 */

static void liverecorder_free(struct liverecorder *r)
{
	for (size_t i = 0; r->streams && i < r->config.n_streams; i++)
		if (r->streams[i].fd >= 0)
			close(r->streams[i].fd);
	if (r->wake_fd >= 0)
		close(r->wake_fd);
	if (r->fail_fd >= 0)
		close(r->fail_fd);
	free(r->streams);
	free(r->page);
	free(r);
}

static int open_streams(struct liverecorder *r, const struct live_stream *streams,
			struct errmsg *err)
{
	uint32_t page_size = 0;
	int code = 0;

	for (size_t i = 0; i < r->config.n_streams; i++) {
		r->streams[i] = (struct stream){streams[i], -1};
		if (streams[i].page_size > page_size)
			page_size = streams[i].page_size;
	}
	r->page = malloc(page_size + 1);
	if (!r->page)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (size_t i = 0; i < r->config.n_streams && code >= 0; i++)
		code = r->streams[i].fd =
			rawpipe_open(r->config.t, streams[i].instance, streams[i].cpu, false, err);
	return code < 0 ? code : 0;
}

int liverecorder_start(struct liverecorder **ret_recorder, const struct liverecorder_config *config,
		       struct errmsg *err)
{
	struct liverecorder *r = calloc(1, sizeof(*r));
	int code;

	if (!r)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	r->config = *config;
	atomic_init(&r->within_ms, UINT_MAX);
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->fail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->streams = calloc(config->n_streams + 1, sizeof(*r->streams));
	code = r->streams && r->wake_fd >= 0 && r->fail_fd >= 0
		       ? open_streams(r, config->streams, err)
		       : errmsg_set_errno(err, -ENOMEM, "cannot record");
	if (code >= 0) {
		code = -pthread_create(&r->thread, NULL, work, r);
		if (code < 0)
			errmsg_set_errno(err, code, "cannot start a thread that records");
	}
	if (code < 0) {
		liverecorder_free(r);
		return code;
	}
	*ret_recorder = r;
	return 0;
}

int liverecorder_fd(const struct liverecorder *r)
{
	return r->fail_fd;
}

void liverecorder_finish(struct liverecorder *r, unsigned within_ms)
{
	atomic_store(&r->within_ms, within_ms);
	atomic_store(&r->finishing, true);
	rawpipe_ring(r->wake_fd);
}

int liverecorder_stop(struct liverecorder *r, struct errmsg *err)
{
	int code;

	pthread_join(r->thread, NULL);
	code = r->failure.code;
	if (code && !err->code)
		*err = r->failure;
	liverecorder_free(r);
	return code;
}
