// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * systrace.c - connects the programs, their ring, and the collector with a file or a live trace.
 *
 *	programs ──▶ ring ──▶ collector, in a thread of its own ──▶ regions of the file
 *	                      collector, in the thread of the live recorder ──▶ livepages
 *
 * The programs are attached at once, while sonde may do it; they find no task in their table until
 * systrace_begin(). They stay attached until systrace_leave().
 */
#include "capture/syscalls/systrace.h"

#include "base/clock.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "base/stoppipe.h"
#include "base/textbuf.h"
#include "capture/syscalls/sysring.h"
#include "format/tracedat.h"
#include "store/live/livefile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define FLUSH_NS 200000000u

struct systrace {
	struct sysprograms programs;
	struct sysring ring;
	struct syscollector *collector;
	struct livefile *file;
	int buffer;
	systrace_taker *take;
	void *take_ctx;
	pthread_t thread;
	bool has_thread;
	int stop_fds[2], fail_fd;
	unsigned n_cpus;
	int error;
};

int systrace_open(struct systrace **ret, const struct sysprograms_config *config,
		  struct errmsg *err)
{
	struct systrace *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace system calls");
	t->stop_fds[0] = t->stop_fds[1] = -1;
	t->fail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r = sysprograms_open(&t->programs, config, err);
	if (r >= 0)
		r = sysring_open(&t->ring, &t->programs.ring, err);
	if (r >= 0)
		r = sysprograms_start(&t->programs, err);
	if (r < 0) {
		systrace_close(t);
		return r;
	}
	*ret = t;
	return 0;
}

bool systrace_wants_command(const struct systrace *t)
{
	return t->programs.config.command_too;
}

int systrace_begin(struct systrace *t, int pid, struct errmsg *err)
{
	return t->programs.config.all_tasks ? 0 : sysprograms_add_task(&t->programs, pid, err);
}

int systrace_fd(const struct systrace *t)
{
	return t->fail_fd;
}

/*
 * --- collecting --------------------------------------------------------------------------------
 */

static int open_collector(struct systrace *t, unsigned n_cpus, uint32_t page_size,
			  int (*take)(void *, unsigned, const void *, size_t), void *ctx,
			  struct errmsg *err)
{
	struct syscollector_config config = {.ring = &t->ring,
					     .slots = t->programs.open_calls,
					     .n_cpus = n_cpus,
					     .page_size = page_size,
					     .take = take,
					     .ctx = ctx};

	t->collector = syscollector_new(&config);
	return t->collector ? 0 : errmsg_set_errno(err, -ENOMEM, "cannot trace system calls");
}

int systrace_read(struct systrace *t)
{
	int us = syscollector_round(t->collector);

	if (us >= 0)
		TRY(syscollector_flush(t->collector));
	return us;
}

int systrace_read_rest(struct systrace *t)
{
	return syscollector_finish(t->collector);
}

static int append(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	struct systrace *t = ctx;

	return liveregion_append(livefile_region(t->file, t->buffer, cpu), page, n_bytes);
}

static int flush_file(struct systrace *t, unsigned n_cpus)
{
	TRY(syscollector_flush(t->collector));
	for (unsigned cpu = 0; cpu < n_cpus; cpu++)
		TRY(liveregion_flush(livefile_region(t->file, t->buffer, cpu)));
	return 0;
}

static int collect(struct systrace *t)
{
	struct pollfd p = {t->stop_fds[0], POLLIN, 0};
	uint64_t flushed_ns = 0;

	for (;;) {
		uint64_t now = clock_now_ns();
		int us, r;

		us = syscollector_round(t->collector);
		TRY(us);
		if (now - flushed_ns >= FLUSH_NS) {
			TRY(flush_file(t, t->n_cpus));
			flushed_ns = now;
		}
		if (!us)
			continue;
		r = ppoll(&p, 1, &(struct timespec){0, us * 1000L}, NULL);
		if (r > 0)
			break;
	}
	TRY(systrace_read_rest(t));
	return flush_file(t, t->n_cpus);
}

static void *run(void *arg)
{
	struct systrace *t = arg;
	uint64_t one = 1;

	t->error = collect(t);
	if (t->error < 0 && write(t->fail_fd, &one, sizeof(one)) < 0)
		t->error = t->error; /* nobody reads it: systrace_stop() returns the failure */
	return NULL;
}

int systrace_start(struct systrace *t, struct livefile *file, int buffer, unsigned n_cpus,
		   uint32_t page_size, struct errmsg *err)
{
	int r;

	t->file = file;
	t->buffer = buffer;
	t->n_cpus = n_cpus;
	TRY(open_collector(t, n_cpus, page_size, append, t, err));
	r = pipe2(t->stop_fds, O_CLOEXEC) ? -errno : 0;
	if (r >= 0)
		r = -pthread_create(&t->thread, NULL, run, t);
	t->has_thread = r >= 0;
	return r < 0 ? errmsg_set_errno(err, r, "cannot start a thread") : 0;
}

int systrace_start_live(struct systrace *t, systrace_taker *take, void *ctx, unsigned n_cpus,
			uint32_t page_size, struct errmsg *err)
{
	return open_collector(t, n_cpus, page_size, take, ctx, err);
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

void systrace_leave(struct systrace *t)
{
	sysprograms_stop(&t->programs);
}

int systrace_stop(struct systrace *t, struct errmsg *err)
{
	systrace_leave(t);
	if (t->has_thread) {
		stoppipe_stop(t->stop_fds);
		pthread_join(t->thread, NULL);
		t->has_thread = false;
	}
	return t->error < 0 ? errmsg_set_errno(err, t->error, "cannot record system calls") : 0;
}

void systrace_add_names(const struct systrace *t, struct textbuf *tb)
{
	if (t->collector)
		syscollector_add_names(t->collector, tb);
}

int systrace_add_option(struct systrace *t, struct livefile *file, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = 1 << 20};
	struct systrace_sum sum;

	systrace_get_sum(t, &sum);
	textbuf_addf(&text, "C string_max %u\n", t->programs.config.string_max);
	textbuf_addf(&text, "C unreadable %llu\n", (unsigned long long)sum.counts.n_faults);
	if (sum.counts.n_lost)
		textbuf_addf(&text, "L %llu\n", (unsigned long long)sum.counts.n_lost);
	textbuf_add(&text, "", 1);
	return livefile_add_option(file, SNF_OPTION_SYSCALLS, PIECE_OF_TEXT(&text), err);
}

void systrace_get_sum(const struct systrace *t, struct systrace_sum *ret)
{
	struct errmsg ignored = {0};

	*ret = (struct systrace_sum){0};
	if (t->collector)
		syscollector_get_sum(t->collector, &ret->calls);
	sysprograms_count(&t->programs, &ret->counts, &ignored);
}

void systrace_close(struct systrace *t)
{
	struct errmsg ignored = {0};

	if (!t)
		return;
	systrace_stop(t, &ignored);
	syscollector_free(t->collector);
	sysring_close(&t->ring);
	sysprograms_close(&t->programs);
	for (int i = 0; i < 2; i++)
		if (t->stop_fds[i] >= 0)
			close(t->stop_fds[i]);
	if (t->fail_fd >= 0)
		close(t->fail_fd);
	free(t);
}
