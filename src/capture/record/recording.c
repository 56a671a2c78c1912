// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording.c - connects a session, a recorder and a growing file.
 *
 *	kernel ──▶ recorder, a thread or more ──▶ a region of the file for each CPU (livefile.h)
 *
 * Everything that the kernel provides at the start (formats, symbols, clock, task names) is in the
 * file before the first event. Data that is known only at the end (names of later tasks, the
 * statistics of each CPU) is added then. If the recorder dies, the file lacks these, but has all
 * its events.
 *
 * A latency tracer keeps one text, the worst case, instead of a stream of events; then there is no
 * recorder, and the file contains that text.
 */
#include "capture/record/recording.h"

#include "base/array.h"
#include "base/errmsg.h"
#include "base/scope.h"
#include "store/events/userevents.h"
#include "capture/calls/userrecording.h"
#include "capture/calls/usertrace.h"
#include "capture/perf/sampling.h"
#include "capture/record/recording_int.h"
#include "capture/syscalls/systrace.h"
#include "format/tracedat.h"
#include "store/live/livefile.h"
#include "store/writer.h"
#include "symbols/programs.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define FLUSH_MS	   500
#define LATENCY_MAX_BYTES  (256u << 20)
#define STATS_MAX_BYTES	   (16u << 20)
#define PROGRAMS_MAX_BYTES (32u << 20)

struct recording {
	struct session *s;
	struct recording_config config;
	struct livefile *file;
	struct livefile_id id; /* id of the file */
	struct recorder *recorder;
	bool is_latency;
	int user_buffer, sample_buffer; /* indices of the buffers of user functions, of samples */
	int syscall_buffer;		/* of system calls */
	/* size of the kernel's symbols, after which those of programs are; files that have them */
	size_t kernel_symbols_len, n_user_files;
	size_t sampled_len; /* bytes of symbols of samples among them */
	char clock[64];
	/*
	 * The kernel's counters at the start, per buffer and CPU. They count since the buffer was
	 * cleared, perhaps long before, so they include events that other programs read or lost.
	 */
	struct cpu_stats *before;
};

/*
 * --- the beginning -----------------------------------------------------------------------------
 */

static int add_texts(struct recording *rec, struct errmsg *err)
{
	struct textbuf *symbols = &rec->s->kernel.texts[TRACEFILE_KALLSYMS];

	rec->kernel_symbols_len = textbuf_len(symbols);
	if (rec->config.user) {
		userevents_add_formats(&rec->s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
		usertrace_add_new_symbols(rec->config.user, &rec->n_user_files, symbols);
	}
	if (rec->config.samples)
		sampling_add_formats(rec->config.samples,
				     &rec->s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
	if (rec->config.syscalls)
		syscallevents_add_formats(&rec->s->kernel.texts[TRACEFILE_EVENT_FORMATS]);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		TRY(livefile_add_text(rec->file, kind, session_text(rec->s, kind), err));
	return 0;
}

static int put_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	return livefile_add_option(ctx, id, data, err);
}

static int add_syscall_buffer(struct recording *rec, struct errmsg *err)
{
	struct livefile_buffer buffer = {.name = SYSCALLEVENTS_BUFFER,
					 .clock = USEREVENTS_CLOCK,
					 .page_size = rec->s->kernel.page_size,
					 .n_cpus = rec->s->n_cpus,
					 .max_bytes = rec->config.max_bytes};

	rec->syscall_buffer = livefile_add_buffer(rec->file, &buffer, err);
	return rec->syscall_buffer < 0 ? rec->syscall_buffer : 0;
}

static int add_buffers(struct recording *rec, struct errmsg *err)
{
	struct session *s = rec->s;

	for (size_t i = 0; i < s->setup->n_buffers; i++) {
		char clock[64];

		session_clock(s, i, clock, sizeof(clock));
		TRY(livefile_add_buffer(rec->file,
					&(struct livefile_buffer){
						.name = s->setup->buffers[i].plan->name,
						.clock = clock,
						.page_size = session_page_size(s, i),
						.n_cpus = s->n_cpus,
						.max_bytes = rec->config.max_bytes,
					},
					err));
	}
	if (rec->config.user) {
		rec->user_buffer = userrecording_add_buffer(
			rec->file, s->n_cpus, s->kernel.page_size, rec->config.max_bytes, err);
		TRY(rec->user_buffer);
	}
	if (rec->config.samples) {
		rec->sample_buffer = sampling_add_buffer(rec->file, s->n_cpus, s->kernel.page_size,
							 rec->config.max_bytes, err);
		TRY(rec->sample_buffer);
	}
	return rec->config.syscalls ? add_syscall_buffer(rec, err) : 0;
}

static int read_before(struct recording *rec, struct errmsg *err)
{
	struct session *s = rec->s;

	rec->before = calloc(s->setup->n_buffers * s->n_cpus + 1, sizeof(*rec->before));
	if (!rec->before)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	for (size_t i = 0; i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++)
			session_cpu_stats(s, s->setup->buffers[i].instance, cpu,
					  &rec->before[i * s->n_cpus + cpu], NULL);
	return 0;
}

static int note_file(struct recording *rec, struct errmsg *err)
{
	int r = livefile_get_id(rec->file, &rec->id);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot examine %s", rec->config.path);
	return journal_add_live(rec->s->journal, rec->config.path, &rec->id, err);
}

static int open_file(struct recording *rec, struct errmsg *err)
{
	struct session *s = rec->s;
	struct livefile_config config = {
		.path = rec->config.path,
		.temp_dir = rec->config.temp_dir,
		.version = rec->config.version,
		.compression = rec->config.compression,
		.plain_data = rec->config.plain_data,
		.long_size = sizeof(long),
		.page_size = session_page_size(s, 0),
		.n_cpus = s->n_cpus,
	};

	TRY(read_before(rec, err));
	TRY(livefile_open(&rec->file, &config, err));
	TRY(add_texts(rec, err));
	TRY(recording_options(s, &rec->config, put_option, rec->file, err));
	TRY(add_buffers(rec, err));
	TRY(note_file(rec, err));
	if (rec->config.samples)
		TRY(sampling_add_option(rec->config.samples, rec->file, err));
	TRY(livefile_start(rec->file, err));
	if (rec->config.user)
		TRY(usertrace_start(rec->config.user, rec->file, rec->user_buffer, s->n_cpus,
				    s->kernel.page_size, err));
	if (rec->config.samples)
		TRY(sampling_start(rec->config.samples, rec->file, rec->sample_buffer, s->n_cpus,
				   s->kernel.page_size, err));
	return rec->config.syscalls
		       ? systrace_start(rec->config.syscalls, rec->file, rec->syscall_buffer,
					s->n_cpus, s->kernel.page_size, err)
		       : 0;
}

int recording_dup(const struct recording *rec)
{
	return rec->file ? livefile_dup(rec->file) : -ENOENT;
}

/*
 * --- the recorder ------------------------------------------------------------------------------
 */

static ssize_t sink_splice(void *ctx, int pipe_fd, size_t n_bytes)
{
	return liveregion_splice(ctx, pipe_fd, n_bytes);
}

static int sink_take(void *ctx, const void *pages, size_t n_bytes)
{
	return liveregion_append(ctx, pages, n_bytes);
}

static int sink_replace(void *ctx, const void *page, size_t n_bytes)
{
	return liveregion_replace(ctx, page, n_bytes);
}

static int sink_flush(void *ctx)
{
	return liveregion_flush(ctx);
}

/*
 * Makes one stream for each CPU of each buffer. The caller frees the array. Returns NULL if out of
 * memory.
 */
static struct recorder_stream *make_streams(struct recording *rec, size_t *ret_n)
{
	struct session *s = rec->s;
	struct recorder_stream *streams =
		calloc(s->setup->n_buffers * s->n_cpus + 1, sizeof(*streams));
	bool packed = rec->config.compression != COMPRESSION_NONE && !rec->config.plain_data;
	size_t n = 0;

	for (size_t i = 0; streams && i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			char file[64];

			snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
			if (!tracefs_exists(&s->t, s->setup->buffers[i].instance, file))
				continue; /* CPU numbers have gaps */
			streams[n++] = (struct recorder_stream){
				.instance = s->setup->buffers[i].instance,
				.cpu = cpu,
				.page_size = session_page_size(s, i),
				.snapshot = rec->config.snapshot,
				.sink =
					{
						.ctx = livefile_region(rec->file, i, cpu),
						.splice = packed ? NULL : sink_splice,
						.take = sink_take,
						.replace = packed ? NULL : sink_replace,
						.flush = sink_flush,
					},
			};
		}
	*ret_n = n;
	return streams;
}

static struct recorder_config recorder_config(const struct recording *rec,
					      const struct recorder_stream *streams, size_t n)
{
	return (struct recorder_config){
		.t = &rec->s->t,
		.streams = streams,
		.n_streams = n,
		.sleep_us = rec->config.sleep_us,
		.flush_ms = FLUSH_MS,
		.rt_priority = rec->config.rt_priority,
		.no_splice = rec->config.no_splice,
		.busy = rec->config.busy,
	};
}

static int start_recorder(struct recording *rec, bool once, struct errmsg *err)
{
	size_t n = 0;
	SCOPED(scope_free) struct recorder_stream *streams = make_streams(rec, &n);
	struct recorder_config config = recorder_config(rec, streams, n);

	if (!streams)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	return once ? recorder_drain(&config, err) : recorder_start(&rec->recorder, &config, err);
}

SCOPED_POINTER(struct recording, recording_free)

/*
 * Starts a recording. A latency tracer needs no recorder. once: only read the current contents of
 * the buffers.
 */
static int begin(struct recording **ret_recording, struct session *s,
		 const struct recording_config *config, bool once, struct errmsg *err)
{
	SCOPED(recording_free_scoped) struct recording *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return errmsg_set_errno(err, -ENOMEM, "cannot record");
	rec->s = s;
	rec->config = *config;
	for (size_t i = 0; i < s->setup->n_buffers; i++)
		rec->is_latency |= s->setup->buffers[i].is_latency;
	if (!rec->is_latency) {
		TRY(open_file(rec, err));
		TRY(start_recorder(rec, once, err));
	}
	*ret_recording = TAKE(rec);
	return 0;
}

int recording_open(struct recording **ret_recording, struct session *s,
		   const struct recording_config *config, struct errmsg *err)
{
	SCOPED(recording_free_scoped) struct recording *rec = NULL;

	TRY(begin(&rec, s, config, false, err));
	if (rec->is_latency && (s->setup->n_buffers > 1 || config->user || config->samples))
		return errmsg_set(
			err, -ENOTSUP,
			"the tracer %s keeps one text, not events, so it cannot be recorded "
			"together with %s",
			s->setup->buffers[0].plan->tracer,
			config->user	  ? "user functions (-u)"
			: config->samples ? "samples (--sample)"
					  : "other buffers (-B)");
	*ret_recording = TAKE(rec);
	return 0;
}

int recording_fd(const struct recording *rec)
{
	return rec->recorder ? recorder_fd(rec->recorder) : -1;
}

/* Readers of the growing file see the functions of programs that have started since. */
static int write_symbols(struct recording *rec, struct errmsg *err)
{
	struct textbuf *symbols = &rec->s->kernel.texts[TRACEFILE_KALLSYMS];
	size_t before = textbuf_len(symbols);

	if (rec->config.user)
		usertrace_add_new_symbols(rec->config.user, &rec->n_user_files, symbols);
	if (rec->config.samples)
		sampling_add_new_symbols(rec->config.samples, &rec->sampled_len, symbols);
	return textbuf_len(symbols) == before
		       ? 0
		       : livefile_write_symbols(rec->file, PIECE_OF_TEXT(symbols), err);
}

static int stop_sources(struct recording *rec, struct errmsg *err)
{
	int r = rec->config.user ? usertrace_stop(rec->config.user, err) : 0;
	int r2 = rec->config.samples ? sampling_stop(rec->config.samples, err) : 0;
	int r3 = rec->config.syscalls ? systrace_stop(rec->config.syscalls, err) : 0;

	return r < 0 ? r : r2 < 0 ? r2 : r3;
}

int recording_flush(struct recording *rec, struct errmsg *err)
{
	struct pollfd failed[] = {
		{rec->config.user ? usertrace_fd(rec->config.user) : -1, POLLIN, 0},
		{rec->config.samples ? sampling_fd(rec->config.samples) : -1, POLLIN, 0},
		{rec->config.syscalls ? systrace_fd(rec->config.syscalls) : -1, POLLIN, 0},
	};

	if (poll(failed, ARRAY_LEN(failed), 0) > 0)
		return stop_sources(rec, err);
	if (rec->file && (rec->config.user || rec->config.samples))
		TRY(write_symbols(rec, err));
	return rec->file ? livefile_flush(rec->file, err) : 0;
}

int recording_add_option(struct recording *rec, uint16_t id, struct piece data, struct errmsg *err)
{
	return rec->file ? livefile_add_option(rec->file, id, data, err) : 0;
}

uint64_t recording_bytes(const struct recording *rec)
{
	return rec->file ? livefile_bytes(rec->file) : 0;
}

/*
 * --- the end -----------------------------------------------------------------------------------
 */

static uint64_t lost_in(const struct cpu_stats *stats)
{
	return stats->overrun + stats->commit_overrun + stats->dropped;
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	/* if it is less, the buffer was cleared in between */
	return now >= before ? now - before : now;
}

static void add_counts(struct recording_sum *sum, const struct cpu_stats *now,
		       const struct cpu_stats *before)
{
	sum->events += grown(now->read_events, before->read_events);
	sum->lost += grown(lost_in(now), lost_in(before));
	sum->counted = true;
}

/*
 * Adds an option for each CPU, as trace-cmd does, and the sums. Version 6 cannot store late
 * options.
 */
static int add_stats(struct recording *rec, struct recording_sum *sum, struct errmsg *err)
{
	struct session *s = rec->s;
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = STATS_MAX_BYTES};

	for (size_t i = 0; i < s->setup->n_buffers; i++)
		for (unsigned cpu = 0; cpu < s->n_cpus; cpu++) {
			const struct setup_buffer *b = &s->setup->buffers[i];
			struct cpu_stats stats;

			textbuf_clear(&text);
			if (*b->plan->name && !cpu)
				textbuf_addf(&text, "\nBuffer: %s\n\n", b->plan->name);
			textbuf_addf(&text, "CPU: %u\n", cpu);
			if (!session_cpu_stats(s, b->instance, cpu, &stats, &text))
				continue;
			/* this is the sum of all CPUs; the numbers of each CPU are unknown */
			if (!i && !cpu && s->n_missed)
				textbuf_addf(&text, "missed hits of probes: %llu\n",
					     (unsigned long long)s->n_missed);
			textbuf_add(&text, "", 1);
			add_counts(sum, &stats, &rec->before[i * s->n_cpus + cpu]);
			if (rec->config.version == 6)
				continue;
			TRY(livefile_add_option(rec->file, SNF_OPTION_CPUSTAT, PIECE_OF_TEXT(&text),
						err));
		}
	return 0;
}

/* Adds the programs. Version 6 cannot store them. */
static int add_programs(struct recording *rec, struct errmsg *err)
{
	struct mappings *m = rec->s->setup->mappings;
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = PROGRAMS_MAX_BYTES};

	if (!m || rec->config.version == 6)
		return 0;
	programs_fmt(mappings_programs(m), &text);
	if (textbuf_len(&text))
		TRY(livefile_add_option(rec->file, SNF_OPTION_PROGRAMS, PIECE_OF_TEXT(&text), err));
	return 0;
}

/*
 * Adds the newest information about processes. Version 6 has only what recording_options() wrote.
 */
static int add_processes(struct recording *rec, struct errmsg *err)
{
	if (!rec->s->census)
		return 0;
	census_finish(rec->s->census, &rec->s->t);
	return rec->config.version == 6 ? 0
					: recording_processes(rec->s, put_option, rec->file, err);
}

static int add_rest(struct recording *rec, struct recording_sum *sum, struct errmsg *err)
{
	SCOPED(textbuf_release) struct textbuf names = {.max_bytes = 64u << 20};
	SCOPED(textbuf_release) struct textbuf last = {.max_bytes = 64u << 20};
	struct textbuf *symbols = &rec->s->kernel.texts[TRACEFILE_KALLSYMS];

	TRY(add_stats(rec, sum, err));
	TRY(add_programs(rec, err));
	TRY(add_processes(rec, err));
	if (rec->config.user || rec->config.samples) {
		symbols->pos = symbols->start + rec->kernel_symbols_len;
		TRY(userrecording_add_end(rec->config.user, rec->config.samples, rec->file, symbols,
					  err));
	}
	if (rec->config.user)
		usertrace_add_names(rec->config.user, &rec->s->names);
	if (rec->config.samples) {
		sampling_add_names(rec->config.samples, &rec->s->names);
		sum->events += sampling_n_samples(rec->config.samples);
		sum->lost += sampling_n_lost(rec->config.samples);
	}
	if (rec->config.syscalls) {
		TRY(systrace_add_option(rec->config.syscalls, rec->file, err));
		systrace_add_names(rec->config.syscalls, &last);
	}
	kernelinfo_read_names(rec->s->t.root, &rec->s->names, &last, &names);
	TRY(livefile_add_text(rec->file, TRACEFILE_CMDLINES, PIECE_OF_TEXT(&names), err));
	return livefile_flush(rec->file, err);
}

static int finish_file(struct recording *rec, struct recording_sum *sum, struct errmsg *err)
{
	int r = add_rest(rec, sum, err);

	sum->bytes = livefile_bytes(rec->file);
	if (r >= 0)
		r = livefile_finish(rec->file, err);
	else
		livefile_free(rec->file);
	if (r >= 0 || r == -ESTALE) /* the file is complete, whatever its name is now */
		journal_end_live(rec->s->journal, &rec->id);
	rec->file = NULL;
	return r;
}

static int put_writer_option(void *ctx, uint16_t id, struct piece data, struct errmsg *err)
{
	return writer_add_option(ctx, id, data, err);
}

/* Writes the text of a latency tracer as a file. */
static int write_latency(struct recording *rec, struct errmsg *err)
{
	const struct setup_buffer *b = &rec->s->setup->buffers[0];
	struct writer_config config = {
		.path = rec->config.path,
		.version = rec->config.version,
		.compression = rec->config.compression,
		.long_size = sizeof(long),
		.page_size = rec->s->kernel.page_size,
	};
	SCOPED(textbuf_release) struct textbuf text = {.max_bytes = LATENCY_MAX_BYTES};
	SCOPED(writer_free_scoped) struct writer *w = NULL;
	int r = tracefs_read(&rec->s->t, b->instance, "trace", &text);

	if (r < 0)
		return errmsg_set_errno(err, r, "cannot read the result of the tracer %s",
					b->plan->tracer);
	session_clock(rec->s, 0, rec->clock, sizeof(rec->clock));
	TRY(writer_open(&w, &config, err));
	writer_set_cpu_count(w, rec->s->n_cpus);
	for (int kind = 0; kind < TRACEFILE_TEXT_KINDS; kind++)
		TRY(writer_add_text(w, kind, session_text(rec->s, kind), err));
	TRY(recording_options(rec->s, &rec->config, put_writer_option, w, err));
	TRY(writer_add_latency(w, rec->clock, PIECE_OF_TEXT(&text), err));
	return writer_close(TAKE(w), err);
}

int recording_finish(struct recording *rec, struct recording_sum *ret_sum, struct errmsg *err)
{
	struct recording_sum sum = {0};
	int r = stop_sources(rec, err), r2;

	if (rec->config.syscalls) {
		struct systrace_sum calls;

		systrace_get_sum(rec->config.syscalls, &calls);
		sum.events += calls.calls.n_events;
		sum.lost += calls.counts.n_lost;
		sum.counted = true;
	}
	if (rec->recorder) {
		/* the recorder's threads, while they exist: with --self, nothing else names them */
		if (rec->s->census)
			census_add_own(rec->s->census);
		int stopped = recorder_stop(rec->recorder, &sum.recorder_ns, err);

		r = r < 0 ? r : stopped;
		rec->recorder = NULL;
	}
	if (r < 0 && !rec->is_latency)
		livefile_add_stopped(rec->file, r, err);
	r2 = rec->is_latency ? write_latency(rec, err) : finish_file(rec, &sum, err);
	*ret_sum = sum;
	recording_free(rec);
	return r < 0 ? r : r2;
}

void recording_free(struct recording *rec)
{
	struct errmsg ignored = {0};
	uint64_t ns;

	if (rec->recorder)
		recorder_stop(rec->recorder, &ns, &ignored);
	stop_sources(rec, &ignored);
	livefile_free(rec->file);
	free(rec->before);
	free(rec);
}

int recording_extract(struct session *s, const struct recording_config *config,
		      struct recording_sum *ret_sum, struct errmsg *err)
{
	struct recording *rec;

	TRY(begin(&rec, s, config, true, err));
	return recording_finish(rec, ret_sum, err);
}
