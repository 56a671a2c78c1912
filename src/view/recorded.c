// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded.c - which tasks of a trace are of the command that was recorded (`sonde record … ./prog`).
 *
 * The file does not say it, but the trace does. The recorder forks the command's process before it begins, lets it wait, and
 * wakes it when all is set up: so the command is the first task that the recorder wakes and that has not been
 * seen before. Where that waking came too early to be recorded, the answer to it did not: exec() in the command closes a
 * pipe, on which the recorder waits. Whatever is forked by the command, or by what it forked, is of it, too.
 *
 *	sonde ──wakes──▶ prog ──forks──▶ thr-0
 *	      ◀──wakes──  └────forks──▶ sh ──forks──▶ ls
 *	      after exec
 *
 * Whichever is first counts: other recorders may run as well.
 *
 * A trace without wakings, or one that another program recorded, has no such tasks; nothing is guessed. The answer is
 * found once, when all is indexed, and kept; a recording that runs has none yet.
 */
#include "view/recorded.h"

#include "base/array.h"
#include <stdlib.h>
#include <string.h>

#define BITS_BYTES 8192	      /* a bit for each task number */
#define FORKS_MAX  (1u << 20) /* that are looked at */
#define BEGIN_NS   2000000000 /* the command is woken in the first two seconds, or was not found */
#define EXEC_NS	   1000000 /* from exec() to the waking of the recorder; it takes some microseconds */
#define EXECS_MAX  100	   /* wakings of recorders that are looked at */

struct fork {
	uint64_t ts;
	uint16_t child, parent;
};

struct finding {
	const struct stage *st;
	uint64_t ts; /* of the first waking by the recorder; UINT64_MAX: none yet */
	uint16_t task;
	size_t stream, n_looks; /* that is gone through; for execs before a waking */
	struct fork *forks;
	size_t n, cap;
	bool failed;
};

static bool is_recorder(const struct timeline_task *t)
{
	return !strncmp(t->comm, "sonde", sizeof(t->comm)) ||
	       !strncmp(t->comm, "trace-cmd", sizeof(t->comm));
}

/* Whether a waking is that of the command. */
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

/* Whether a waking is the command's, which has just called exec(). */
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

static int compare_forks(const void *a, const void *b)
{
	const struct fork *x = a, *y = b;

	return (x->ts > y->ts) - (x->ts < y->ts);
}

static bool has_bit(const uint8_t *bits, uint16_t i)
{
	return bits[i / 8] >> i % 8 & 1;
}

/* Returns the first one, or -1. */
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

/* Looks for them, once. False: nothing can be told yet. */
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
	int task;

	pthread_mutex_lock(&st->lock);
	task = look_once(st) ? st->command_first : -1;
	pthread_mutex_unlock(&st->lock);
	return task;
}

bool recorded_has_task(struct stage *st, size_t task)
{
	bool has;

	if (task >= BITS_BYTES * 8)
		return false;
	pthread_mutex_lock(&st->lock);
	has = look_once(st) && has_bit(st->command, task);
	pthread_mutex_unlock(&st->lock);
	return has;
}
