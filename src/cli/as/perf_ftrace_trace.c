// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_ftrace_trace.c - `perf ftrace trace`: prints the kernel's text of a tracer's events as it
 * arrives.
 *
 *	trace        its first lines, which begin with '#': the heads of the columns
 *	trace_pipe   the events, read without waiting, some forty times a second; the rest after the
 *	             end
 *
 * The text is the kernel's own, so it equals perf's.
 */
#include "cli/as/perf.h"

#include "base/clock.h"
#include "base/scope.h"
#include "capture/record/session.h"
#include "cli/as/perf_ftrace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS	       25
#define HEAD_MAX_BYTES (1u << 20)
#define LAST_READS_MAX (1u << 20) /* limit of reads of 64 KB */

struct text_run {
	struct session s;
	int pipe_fd;
	bool no_reader;
	bool is_cut;	/* the reader has closed the output */
	uint64_t on_ns; /* -D: time when tracing is switched on; 0: it is on */
};

static const char *instance_of(const struct text_run *run)
{
	return run->s.setup->buffers[0].instance;
}

static void print_head(const struct text_run *run)
{
	TEXTBUF(text, HEAD_MAX_BYTES);

	tracefs_read(&run->s.t, instance_of(run), "trace", &text);
	for (const char *p = text.start; p && p < text.pos && *p == '#';) {
		const char *end = memchr(p, '\n', text.pos - p);

		end = end ? end + 1 : text.pos;
		fwrite(p, 1, end - p, stdout);
		p = end;
	}
	fflush(stdout);
}

/* Copies the available text. Returns false if there is none. */
static bool copy_some(struct text_run *run)
{
	char buf[65536];
	ssize_t n = read(run->pipe_fd, buf, sizeof(buf));

	if (n <= 0)
		return false;
	if (fwrite(buf, 1, n, stdout) != (size_t)n || fflush(stdout)) {
		run->is_cut = errno == EPIPE;
		run->no_reader = true;
	}
	return !run->no_reader;
}

static bool tick(void *ctx)
{
	struct text_run *run = ctx;

	if (run->on_ns && clock_now_ns() >= run->on_ns) {
		tracefs_try_write(&run->s.t, instance_of(run), "tracing_on", "1", TRACEFS_SET);
		run->on_ns = 0;
	}
	for (int i = 0; i < 64 && copy_some(run); i++)
		;
	return !run->no_reader;
}

static int follow(struct text_run *run, long long delay_ms, struct errmsg *err)
{
	int r;

	TRY(session_start(&run->s, err));
	if (delay_ms > 0) {
		tracefs_try_write(&run->s.t, instance_of(run), "tracing_on", "0", TRACEFS_SET);
		run->on_ns = clock_now_ns() + delay_ms * 1000000ull;
	}
	session_wait(&run->s, -1, TICK_MS, tick, run);
	r = session_stop(&run->s, err);
	for (unsigned i = 0; i < LAST_READS_MAX && copy_some(run); i++)
		;
	return r;
}

static int trace(struct text_run *run, int delay_ms, struct errmsg *err)
{
	run->pipe_fd =
		tracefs_open_file(&run->s.t, instance_of(run), "trace_pipe", O_RDONLY | O_NONBLOCK);
	if (run->pipe_fd < 0)
		return errmsg_set_errno(err, run->pipe_fd, "failed to open trace_pipe");
	for (size_t i = 0; i < run->s.setup->notes.n; i++)
		fprintf(stderr, "%s\n", run->s.setup->notes.texts[i]);
	print_head(run);
	return follow(run, delay_ms, err);
}

int perf_ftrace_trace(struct perf_ftrace_options *o, char **argv, struct errmsg *err)
{
	struct session_config config = {
		.plan = &o->gather.record.plan, .argv = argv, .no_symbols = true};
	struct text_run run = {.pipe_fd = -1};
	struct errmsg ignored = {0};
	int r = session_open(&run.s, &config, err), r2;

	r = r < 0 ? r : trace(&run, o->delay_ms, err);
	if (run.pipe_fd >= 0)
		close(run.pipe_fd);
	r2 = session_close(&run.s, r < 0 ? &ignored : err);
	if (r >= 0 && r2 >= 0 && run.is_cut)
		return -EPIPE;
	return r < 0 ? r : r2;
}
