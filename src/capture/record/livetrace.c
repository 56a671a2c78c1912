// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * livetrace.c - connects a session, a live recorder and a live tracefile.
 *
 *	kernel ──▶ liverecorder, a thread ──▶ livepages ──▶ the decoder
 *
 * The tracefile uses the session's texts about the kernel (formats, symbols, current task names),
 * which stay in the session. Its options are those that a file would have; they are copied.
 */
#include "capture/record/livetrace.h"

#include "base/arena.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "store/events/sampleevents.h"
#include "store/events/userevents.h"
#include "capture/calls/usertrace.h"
#include "capture/perf/sampling.h"
#include "capture/record/feeder.h"
#include "capture/record/recording_int.h"
#include "capture/syscalls/systrace.h"
#include "format/bytes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX	  64
#define OPTIONS_MAX_BYTES (16u << 20)

struct livetrace {
	struct session *s;
	struct tracefile *tf;
	struct liverecorder *recorder;
	struct arena arena; /* the bytes of the options */
	struct tracefile_option options[OPTIONS_MAX];
	size_t n_options;
	struct usertrace *user; /* functions of programs; NULL: none */
	size_t user_buffer;
	struct systrace *syscalls; /* NULL: none */
	size_t syscall_buffer;
	struct sampling *samples; /* NULL: none */
	size_t sample_buffer;
};

static int put_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	struct livetrace *lt = ctx;
	char *copy = lt->n_options < OPTIONS_MAX
			     ? arena_strndup(&lt->arena, (const char *)data.data, data.len)
			     : NULL;

	if (!copy)
		return errmsg_set_errno(err, -ENOMEM, "cannot store the options of the trace");
	lt->options[lt->n_options++] =
		(struct tracefile_option){id, {(const uint8_t *)copy, data.len}};
	return 0;
}

/* Adds a buffer of another source than the kernel's rings. Returns its index. */
static size_t add_buffer(const struct livetrace *lt, struct live_config *config,
			 struct live_buffer *buffers, const char *name)
{
	buffers[config->n_buffers] = (struct live_buffer){.name = name,
							  .clock = USEREVENTS_CLOCK,
							  .page_size = lt->s->kernel.page_size,
							  .n_cpus = lt->s->n_cpus};
	return config->n_buffers++;
}

static int open_file(struct livetrace *lt, struct errmsg *err)
{
	struct session *s = lt->s;
	size_t n = s->setup->n_buffers;
	SCOPED(scope_free) struct live_buffer *buffers = calloc(n + 3, sizeof(*buffers));
	char(*clocks)[64] = calloc(n + 1, sizeof(*clocks));
	struct live_config config = {.name = "the live trace",
				     .options = lt->options,
				     .n_options = lt->n_options,
				     .buffers = buffers,
				     .n_buffers = n};
	int r;

	if (lt->user)
		userevents_add_formats(&s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
	if (lt->syscalls)
		syscallevents_add_formats(&s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
	if (lt->samples)
		sampling_add_formats(lt->samples, &s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
	for (int i = 0; i < TRACEFILE_TEXT_KINDS; i++)
		config.texts[i] = session_text(s, i);
	for (size_t i = 0; buffers && clocks && i < n; i++) {
		session_clock(s, i, clocks[i], sizeof(*clocks));
		buffers[i] = (struct live_buffer){.name = s->setup->buffers[i].plan->name,
						  .clock = clocks[i],
						  .page_size = session_page_size(s, i),
						  .n_cpus = s->n_cpus};
	}
	if (buffers && lt->user)
		lt->user_buffer = add_buffer(lt, &config, buffers, USEREVENTS_BUFFER);
	if (buffers && lt->syscalls)
		lt->syscall_buffer = add_buffer(lt, &config, buffers, SYSCALLEVENTS_BUFFER);
	if (buffers && lt->samples)
		lt->sample_buffer = add_buffer(lt, &config, buffers, SAMPLEEVENTS_BUFFER);
	r = buffers && clocks ? tracefile_open_live(&lt->tf, &config, err)
			      : errmsg_set_errno(err, -ENOMEM, "cannot trace");
	free(clocks);
	return r;
}

/* Makes one stream for each CPU. CPU numbers may have gaps. */
static size_t make_streams(struct livetrace *lt, struct live_stream *streams)
{
	struct session *s = lt->s;
	struct livepages *pages = tracefile_livepages(lt->tf);
	size_t n = 0;

	for (size_t i = 0; i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			const char *instance = s->setup->buffers[i].instance;
			char file[64];

			snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
			if (tracefs_exists(&s->t, instance, file))
				streams[n++] = (struct live_stream){instance, i, cpu,
								    session_page_size(s, i)};
			else
				livepages_set_read(pages, i, cpu, UINT64_MAX);
		}
	return n;
}

/* --- user functions, system calls, samples ---------------------------------------------------- */

static int take_user_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	const struct livetrace *lt = ctx;

	return livepages_add(tracefile_livepages(lt->tf), lt->user_buffer, cpu, page, n_bytes);
}

static int take_call_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	const struct livetrace *lt = ctx;

	return livepages_add(tracefile_livepages(lt->tf), lt->syscall_buffer, cpu, page, n_bytes);
}

static int take_sample_page(void *ctx, unsigned cpu, const void *page, size_t n_bytes)
{
	const struct livetrace *lt = ctx;

	return livepages_add(tracefile_livepages(lt->tf), lt->sample_buffer, cpu, page, n_bytes);
}

static bool has_room(const struct livetrace *lt, size_t buffer)
{
	for (unsigned cpu = 0; cpu < lt->s->n_cpus; cpu++)
		if (!livepages_has_room(tracefile_livepages(lt->tf), buffer, cpu))
			return false;
	return true;
}

static int set_read(const struct livetrace *lt, size_t buffer, uint64_t round, int us)
{
	for (unsigned cpu = 0; cpu < lt->s->n_cpus; cpu++)
		livepages_set_read(tracefile_livepages(lt->tf), buffer, cpu, round);
	return us;
}

/*
 * Reads the rings of user functions. A full buffer keeps the rings full: then programs wait, or
 * records are lost.
 */
static int read_user(struct livetrace *lt, uint64_t round, bool is_last)
{
	int us;

	if (!is_last && !has_room(lt, lt->user_buffer))
		return -EAGAIN;
	us = is_last ? usertrace_read_rest(lt->user) : usertrace_read(lt->user);
	return us < 0 ? us : set_read(lt, lt->user_buffer, round, us);
}

static int read_calls(struct livetrace *lt, uint64_t round, bool is_last)
{
	int us;

	if (!is_last && !has_room(lt, lt->syscall_buffer))
		return -EAGAIN;
	us = is_last ? systrace_read_rest(lt->syscalls) : systrace_read(lt->syscalls);
	/* more is in the ring: it may be older than what other buffers have now */
	return us > 0 || is_last ? set_read(lt, lt->syscall_buffer, round, us) : us;
}

/* Samples that find no room stay in the kernel's rings, which count what they lose. */
static int read_samples(struct livetrace *lt, uint64_t round, bool is_last)
{
	int us;

	if (!is_last && !has_room(lt, lt->sample_buffer))
		return -EAGAIN;
	us = sampling_read(lt->samples, is_last);
	return us < 0 ? us : set_read(lt, lt->sample_buffer, round, us);
}

static int read_others(void *ctx, uint64_t round, bool is_last)
{
	struct livetrace *lt = ctx;
	int us = lt->user ? read_user(lt, round, is_last) : INT_MAX, us2;

	if (us < 0 && us != -EAGAIN)
		return us;
	us2 = lt->syscalls ? read_calls(lt, round, is_last) : INT_MAX;
	us = us2 < us ? us2 : us;
	if (us < 0 && us != -EAGAIN)
		return us;
	us2 = lt->samples ? read_samples(lt, round, is_last) : INT_MAX;
	return us2 < us ? us2 : us;
}

static int start_recorder(struct livetrace *lt, const struct recording_config *rc,
			  struct errmsg *err)
{
	size_t max = lt->s->setup->n_buffers * lt->s->n_cpus;
	SCOPED(scope_free) struct live_stream *streams = calloc(max + 1, sizeof(*streams));
	struct liverecorder_config config = {.t = &lt->s->t,
					     .pages = tracefile_livepages(lt->tf),
					     .streams = streams,
					     .sleep_us = rc->sleep_us,
					     .rt_priority = rc->rt_priority,
					     .busy = rc->busy};

	if (!streams)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace");
	if (lt->user || lt->syscalls || lt->samples) {
		config.read_other = read_others;
		config.other_ctx = lt;
	}
	if (lt->user)
		TRY(usertrace_start_live(lt->user, take_user_page, lt, lt->s->n_cpus,
					 lt->s->kernel.page_size, err));
	if (lt->syscalls)
		TRY(systrace_start_live(lt->syscalls, take_call_page, lt, lt->s->n_cpus,
					lt->s->kernel.page_size, err));
	if (lt->samples)
		TRY(sampling_start_live(lt->samples, take_sample_page, lt, lt->s->n_cpus,
					lt->s->kernel.page_size, err));
	config.n_streams = make_streams(lt, streams);
	return liverecorder_start(&lt->recorder, &config, err);
}

static int start(struct livetrace *lt, const struct recording_config *config, struct errmsg *err)
{
	const struct setup *s = lt->s->setup;

	for (size_t i = 0; i < s->n_buffers; i++)
		if (s->buffers[i].is_latency)
			return errmsg_set(err, -ENOTSUP,
					  "the tracer %s keeps only the worst case as a text and "
					  "has no events to show; use 'sonde record' or 'sonde "
					  "start' and 'sonde show'",
					  s->buffers[i].plan->tracer);
	TRY(recording_options(lt->s, config, put_option, lt, err));
	TRY(open_file(lt, err));
	return start_recorder(lt, config, err);
}

int livetrace_open(struct livetrace **ret_trace, struct session *s,
		   const struct recording_config *config, struct errmsg *err)
{
	struct livetrace *lt = calloc(1, sizeof(*lt));
	struct errmsg ignored = {0};
	int r;

	if (!lt)
		return errmsg_set_errno(err, -ENOMEM, "cannot trace");
	lt->s = s;
	lt->user = config->user;
	lt->syscalls = config->syscalls;
	lt->samples = config->samples;
	arena_init(&lt->arena, OPTIONS_MAX_BYTES);
	r = start(lt, config, err);
	if (r < 0) {
		livetrace_close(lt, &ignored);
		return r;
	}
	*ret_trace = lt;
	return 0;
}

struct tracefile *livetrace_file(struct livetrace *lt)
{
	return lt->tf;
}

int livetrace_fd(const struct livetrace *lt)
{
	return liverecorder_fd(lt->recorder);
}

void livetrace_finish(struct livetrace *lt, unsigned within_ms)
{
	liverecorder_finish(lt->recorder, within_ms);
}

int livetrace_end(struct livetrace *lt, struct errmsg *err)
{
	int r = 0;

	if (lt->recorder)
		r = liverecorder_stop(lt->recorder, err);
	lt->recorder = NULL;
	return r;
}

int livetrace_close(struct livetrace *lt, struct errmsg *err)
{
	int r;

	if (!lt)
		return 0;
	if (lt->recorder)
		liverecorder_finish(lt->recorder, 0);
	r = livetrace_end(lt, err);
	tracefile_close(lt->tf);
	arena_release(&lt->arena);
	free(lt);
	return r;
}

void livetrace_count(const struct livetrace *lt, uint64_t *ret_unread, uint64_t *ret_lost)
{
	const struct session *s = lt->s;

	*ret_unread = *ret_lost = 0;
	for (size_t i = 0; i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			struct cpu_stats st;

			if (!session_cpu_stats(s, s->setup->buffers[i].instance, cpu, &st, NULL))
				continue;
			*ret_unread += st.entries;
			*ret_lost += st.overrun + st.commit_overrun + st.dropped;
		}
}
