// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded.c - finds the tasks of the recorded command (`sonde record … ./prog`) in a trace.
 *
 * The file does not name them, but the events show them. The recorder forks the command's process
 * before it starts, lets it wait, and wakes it when everything is set up. So the command is the
 * first task that the recorder wakes and that has not appeared before. If that waking was too early
 * to be recorded, its consequence is in the trace: exec() in the command closes a pipe on which the
 * recorder waits, and so wakes the recorder. All tasks that the command forks, and their children,
 * belong to it, too.
 *
 *	sonde ──wakes──▶ prog ──forks──▶ thr-0
 *	      ◀──wakes──  └────forks──▶ sh ──forks──▶ ls
 *	      after exec
 *
 * The first of these wakings counts: other recorders may run as well.
 *
 * A trace without wakings, or one from another program, has no such tasks; nothing is guessed. The
 * result is computed once, when indexing has ended, and kept; a running recording has none yet.
 */
#include "view/recorded.h"

#include "base/array.h"
#include "base/lock.h"
#include "decode/formats/event.h"
#include "timeline/timeline.h"
#include <stdlib.h>
#include <string.h>

#define BITS_BYTES 8192	      /* one bit for each task number */
#define FORKS_MAX  (1u << 20) /* limit of examined forks */
#define BEGIN_NS   2000000000 /* the command is woken in the first two seconds, or is never found */
/* maximum time from exec() to the waking of the recorder; normally some us */
#define EXEC_NS	   1000000
#define EXECS_MAX  100 /* limit of examined wakings of recorders */

struct fork {
	uint64_t ts;
	uint16_t child, parent;
};

struct finding {
	const struct stage *st;
	uint64_t ts; /* time of the first waking by the recorder; UINT64_MAX: none yet */
	uint16_t task;
	size_t stream, n_looks; /* current stream; number of searches for an exec before a waking */
	struct fork *forks;
	size_t n, cap;
	bool failed;
};

static bool is_recorder(const struct timeline_task *t)
{
	return !strncmp(t->comm, "sonde", sizeof(t->comm)) ||
	       !strncmp(t->comm, "trace-cmd", sizeof(t->comm));
}

/* Returns true if it is the waking of the command. */
static bool begins_command(const struct finding *f, const struct waking_entry *e)
{
	size_t n = timeline_n_tasks(f->st->tl);
	const struct timeline_task *waker, *task;

	if (e->flags || e->ts > BEGIN_NS || e->ts >= f->ts || e->task >= n || e->waker >= n)
		return false;
	waker = timeline_task(f->st->tl, e->waker);
	task = timeline_task(f->st->tl, e->task);
	return task->pid > 0 && is_recorder(waker) && !is_recorder(task) &&
	       stage_count(&task->first) >= e->ts;
}

struct exec {
	const struct timeline *tl;
	uint16_t task;
	bool found;
};

static bool look_exec(void *ctx, const struct walk_event *ev)
{
	struct exec *x = ctx;
	const struct event *e = timeline_kind(x->tl, ev->kind)->event;

	x->found = ev->task == x->task && e && !strcmp(e->system, "sched") &&
		   !strcmp(e->name, "sched_process_exec");
	return !x->found;
}

/* Returns true if it is a waking by the command, just after exec(). */
static bool answers_recorder(struct finding *f, const struct waking_entry *e)
{
	struct timeline *tl = f->st->tl;
	struct walk_wants wants = {.from = e->ts > EXEC_NS ? e->ts - EXEC_NS : 0, .to = e->ts};
	struct exec x = {.tl = tl, .task = e->waker};
	size_t n = timeline_n_tasks(tl);
	bool whole;

	if (e->flags || e->ts > BEGIN_NS || e->ts >= f->ts || e->task >= n || e->waker >= n)
		return false;
	if (!is_recorder(timeline_task(tl, e->task)) || is_recorder(timeline_task(tl, e->waker)) ||
	    !timeline_task(tl, e->waker)->pid || f->n_looks++ >= EXECS_MAX)
		return false;
	timeline_walk(tl, f->stream, &wants, look_exec, &x, &whole);
	return x.found;
}

static bool add_fork(struct finding *f, const struct waking_entry *e)
{
	if (!ARRAY_ROOM(f->forks, f->cap, f->n + 1, FORKS_MAX))
		return false;
	f->forks[f->n++] = (struct fork){e->ts, e->task, e->waker};
	return true;
}

static bool look_at(void *ctx, const struct waking_entry *e)
{
	struct finding *f = ctx;

	if (begins_command(f, e)) {
		f->ts = e->ts;
		f->task = e->task;
	} else if (answers_recorder(f, e)) {
		f->ts = e->ts;
		f->task = e->waker;
	}
	if (e->flags & WAKING_NEW && !add_fork(f, e))
		f->failed = true;
	return !f->failed;
}

ARRAY_ORDER(compare_forks, struct fork, COMPARE(x->ts, y->ts))

static bool has_bit(const uint8_t *bits, uint16_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

/* Finds the tasks of the command. Returns the first task, or -1. */
static int find_tasks(const struct stage *st, uint8_t *bits)
{
	struct finding f = {.st = st, .ts = UINT64_MAX};

	for (size_t i = 0; i < timeline_n_streams(st->tl) && !f.failed; i++) {
		f.stream = i;
		f.n_looks = 0;
		timeline_wakings(st->tl, i, 0, TIMELINE_TIME_MAX, look_at, &f);
	}
	if (f.ts != UINT64_MAX)
		bits[f.task / 8] |= 1u << f.task % 8;
	if (f.n)
		qsort(f.forks, f.n, sizeof(*f.forks), compare_forks);
	for (size_t i = 0; i < f.n; i++)
		if (f.forks[i].ts >= f.ts && has_bit(bits, f.forks[i].parent))
			bits[f.forks[i].child / 8] |= 1u << f.forks[i].child % 8;
	free(f.forks);
	return f.ts != UINT64_MAX ? f.task : -1;
}

/* Searches for the tasks once. Returns false if it is too early. */
static bool look_once(struct stage *st)
{
	if (st->is_live || timeline_progress(st->tl) < 1)
		return false;
	if (!st->command) {
		st->command = calloc(1, BITS_BYTES);
		st->command_first = st->command ? find_tasks(st, st->command) : -1;
	}
	return st->command;
}

int recorded_first_task(struct stage *st)
{
	LOCKED(&st->lock);
	return look_once(st) ? st->command_first : -1;
}

bool recorded_has_task(struct stage *st, size_t task)
{
	if (task >= BITS_BYTES * 8)
		return false;
	LOCKED(&st->lock);
	return look_once(st) && has_bit(st->command, task);
}
