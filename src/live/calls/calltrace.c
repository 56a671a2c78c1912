// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calltrace.c - system calls of a running trace as lines, in steps of limited duration.
 *
 *	sequence_fill ──▶ batch ──▶ calllines ──▶ a piece of text ──▶ trickle_write
 *
 * It is report.c with other lines. A long call is shown even if no other event arrives: the clock
 * decides, not the next record.
 */
#include "live/calls/calltrace.h"

#include "base/files/trickle.h"
#include "capture/syscalls/systrace.h"
#include "base/textbuf.h"
#include "decode/order/sequence.h"
#include "inputs/inputs.h"
#include "live/calls/callpaths.h"
#include "live/names.h"
#include "live/source.h"
#include "present/syscalls/callrun.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PIECE_BYTES    (64u << 10)
#define TEXT_MAX_BYTES (16u << 20)
#define LATE_NS	       100000000u /* what is older has been read */
#define LAST_MS	       200

struct calltrace {
	struct liverun *run;
	struct inputs_spec spec;
	struct livesource in;
	struct calllines *lines;
	struct callrun_state *calls;
	struct batch batch;
	size_t at; /* next record of the batch */
	struct textbuf text;
	size_t written;
	struct trickle trickle;
	bool is_over; /* the last lines are in the text */
};

/* What the traced processes have open already, for -y and -P. */
static void add_open_files(struct calltrace *t, bool unseen_threads, struct syscalltext *text)
{
	const struct plan_words *pids = &t->run->request->plan.buffers[0].pids;
	const struct sysprograms_config *config = t->run->request->syscalls;

	if (config && config->all_tasks)
		callpaths_add_all(text);
	else if (t->run->s.has_child)
		callpaths_add(text, t->run->s.child.pid);
	for (size_t i = 0; i < pids->n; i++) {
		int pid = atoi(pids->words[i]);

		if (unseen_threads && callpaths_has_threads(pid))
			syscalltext_distrust(text, pid);
		else
			callpaths_add(text, pid);
	}
}

static void add_name(struct syscalltext *text, int pid)
{
	char comm[64];
	size_t n = livenames_ask(pid, comm, sizeof(comm) - 1);

	comm[n] = 0;
	if (n)
		syscalltext_add_comm(text, pid, comm);
}

/* The names that the traced threads have now, for -Y: later they may have others. */
static void add_names(struct calltrace *t, struct syscalltext *text)
{
	const struct plan_words *pids = &t->run->request->plan.buffers[0].pids;

	if (t->run->s.has_child)
		add_name(text, t->run->s.child.pid);
	for (size_t i = 0; i < pids->n; i++) {
		SCOPED(closedir_scoped) DIR *tasks = NULL;
		struct dirent *e;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%.20s/task", pids->words[i]);
		tasks = opendir(path);
		while (tasks && (e = readdir(tasks)))
			if (e->d_name[0] != '.')
				add_name(text, atoi(e->d_name));
	}
}

int calltrace_new(struct calltrace **ret, struct liverun *run, const struct calllines_spec *lines,
		  int fd, struct errmsg *err)
{
	SCOPED(calltrace_free_scoped) struct calltrace *t = calloc(1, sizeof(*t));
	struct sequence_config config = {.to = UINT64_MAX};

	if (!t)
		return errmsg_set_errno(err, -ENOMEM, "cannot print");
	t->run = run;
	trickle_init(&t->trickle, fd);
	textbuf_init(&t->text, TEXT_MAX_BYTES);
	TRY(livesource_open(&t->in, livetrace_file(run->lt), &t->spec, &config, run->s.setup, err));
	if (batch_init(&t->batch) < 0 || calllines_new(&t->lines, lines) < 0 ||
	    !(t->calls = callrun_new(t->lines, sysprograms_machine(0), false)))
		return errmsg_set_errno(err, -ENOMEM, "cannot print");
	if (lines->text.comms)
		add_names(t, calllines_text(t->lines, 0));
	if (lines->text.paths)
		add_open_files(t, lines->text.unseen_threads, calllines_text(t->lines, 0));
	if (lines->n_paths)
		add_open_files(t, lines->text.unseen_threads, calllines_text(t->lines, 1));
	*ret = TAKE(t);
	return 0;
}

void calltrace_free(struct calltrace *t)
{
	if (!t)
		return;
	callrun_free(t->calls);
	calllines_free(t->lines);
	batch_release(&t->batch);
	textbuf_release(&t->text);
	trickle_release(&t->trickle);
	livesource_close(&t->in);
	free(t);
}

/* Returns 1 if the text is written, 0 if there was not enough time. */
static int write_text(struct calltrace *t, struct errmsg *err)
{
	size_t len = textbuf_len(&t->text);
	ssize_t n;

	if (!len)
		return 1;
	n = trickle_write(&t->trickle, t->text.start + t->written, len - t->written,
			  t->in.until_ns);
	if (n == -EPIPE)
		return -EPIPE;
	if (n < 0)
		return errmsg_set_errno(err, (int)n, "cannot print the system calls");
	t->written += (size_t)n;
	if (t->written < len)
		return 0;
	calllines_cut(t->lines, &t->text);
	textbuf_clear(&t->text);
	t->written = 0;
	return 1;
}

/* Lines of long calls appear even if nothing else happens. */
static void pass_time(struct calltrace *t)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	calllines_pass(t->lines, (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec - LATE_NS,
		       &t->text);
}

/* The last lines, and what was lost after them. */
static void finish(struct calltrace *t)
{
	struct systrace_sum sum = {0};

	calllines_finish(t->lines, &t->text);
	if (t->run->syscalls)
		systrace_get_sum(t->run->syscalls, &sum);
	if (sum.counts.n_lost > calllines_n_lost(t->lines))
		calllines_add_lost(t->lines, sum.counts.n_lost - calllines_n_lost(t->lines),
				   &t->text);
}

static int step(void *ctx, struct errmsg *err)
{
	struct calltrace *t = ctx;

	for (;;) {
		int r;

		if (t->at < t->batch.n)
			t->at = callrun_add(t->calls, &t->batch, t->at, PIECE_BYTES, &t->text);
		if (textbuf_len(&t->text) >= PIECE_BYTES || t->written || t->is_over) {
			r = write_text(t, err);
			if (r <= 0 || t->is_over)
				return r;
		}
		if (t->at < t->batch.n)
			continue;
		if (calllines_is_full(t->lines)) {
			r = write_text(t, err);
			return r > 0 ? -EPIPE : r;
		}
		r = sequence_fill(t->in.src.seq, &t->batch);
		t->at = 0;
		if (r < 0)
			return errmsg_set_errno(err, r, "cannot continue printing");
		if (r)
			continue;
		if (livesource_is_late(&t->in))
			return 0;
		t->is_over = sequence_has_ended(t->in.src.seq);
		if (t->is_over)
			finish(t);
		else
			pass_time(t);
		r = write_text(t, err);
		return r;
	}
}

static uint64_t count_rest(void *ctx)
{
	const struct calltrace *t = ctx;

	return t->batch.n - t->at;
}

int calltrace_follow(struct calltrace *t, struct errmsg *err)
{
	static const struct liverun_taker taker = {
		.step = step,
		.count_rest = count_rest,
		.rest_text = "more system calls had happened when it was ended",
		.lost_text = "a larger buffer (-b) helps",
		.at_once = true,
		.last_ms = LAST_MS,
	};

	return liverun_follow(t->run, &t->in, &taker, t, err);
}
