// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded.c - which tasks of a trace are of the command that was recorded (`sonde record … ./prog`).
 *
 * The file does not say it, but the trace does. The recorder forks the command's process before it begins, lets it wait, and
 * wakes it when all is set up: so the command is the first task that the recorder wakes and that has not been
 * seen before; whatever is forked by it, or by what it forked, is of it, too.
 *
 *	sonde ──wakes──▶ prog ──forks──▶ thr-0
 *	                  └────forks──▶ sh ──forks──▶ ls
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

struct fork {
	uint64_t ts;
	uint16_t child, parent;
};

struct finding {
	const struct stage *st;
	uint64_t ts; /* of the first waking by the recorder; UINT64_MAX: none yet */
	uint16_t task;
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

static void find_tasks(const struct stage *st, uint8_t *bits)
{
	struct finding f = {.st = st, .ts = UINT64_MAX};

	for (size_t i = 0; i < timeline_n_streams(st->tl) && !f.failed; i++)
		timeline_wakings(st->tl, i, 0, TIMELINE_TIME_MAX, look_at, &f);
	if (f.ts != UINT64_MAX)
		bits[f.task / 8] |= 1u << f.task % 8;
	if (f.n)
		qsort(f.forks, f.n, sizeof(*f.forks), compare_forks);
	for (size_t i = 0; i < f.n; i++)
		if (f.forks[i].ts >= f.ts && has_bit(bits, f.forks[i].parent))
			bits[f.forks[i].child / 8] |= 1u << f.forks[i].child % 8;
	free(f.forks);
}

bool recorded_has_task(struct stage *st, size_t task)
{
	bool has;

	if (st->is_live || task >= BITS_BYTES * 8 || timeline_progress(st->tl) < 1)
		return false;
	pthread_mutex_lock(&st->lock);
	if (!st->command) {
		st->command = calloc(1, BITS_BYTES);
		if (st->command)
			find_tasks(st, st->command);
	}
	has = st->command && has_bit(st->command, task);
	pthread_mutex_unlock(&st->lock);
	return has;
}
