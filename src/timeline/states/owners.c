// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * owners.c - sums the turns of a CPU by task.
 *
 *	CPU 0   sh │ cc1 ────── │ ls ── │ cc1 ── │ sh
 *	request      from ────────────────── to
 *	result       cc1, ls                            the longest first
 *
 * Several calls add to the same sums, also for different CPUs. Tasks beyond OWNERS_MAX are summed
 * as "others".
 */
#include "timeline/states/owners.h"
#include "timeline/insight/insight_int.h"

#include <stdlib.h>

struct look {
	struct owners *o;
	uint64_t from, to, last_ts;
	int last;
};

static void add_owner(struct owners *o, int task, uint64_t ns)
{
	unsigned i = 0;

	if (!ns)
		return;
	if (!o->n)
		o->first = task;
	while (i < o->n && o->list[i].task != task)
		i++;
	if (i >= OWNERS_MAX) {
		i = OWNERS_MAX;
		task = OWNERS_OTHERS;
	}
	o->n = i < o->n ? o->n : i + 1;
	o->list[i].task = task;
	o->list[i].ns += ns;
}

static bool look_at_turn(void *ctx, const struct cpu_turn *t)
{
	struct look *l = ctx;

	add_owner(l->o, l->last, overlap(l->last_ts, t->ts, l->from, l->to));
	l->last = t->next == TIMELINE_NO_TASK ? -1 : t->next;
	l->last_ts = t->ts;
	return true;
}

int owners_look(struct owners *o, struct timeline *tl, uint32_t machine, int cpu, uint64_t from,
		uint64_t to)
{
	struct look l = {.o = o, .from = from, .to = to, .last = -1};
	int r = cpu < 0 ? 0 : cpu_turns(tl, machine, cpu, from, to, look_at_turn, &l);

	add_owner(o, l.last, overlap(l.last_ts, to, from, to));
	return r;
}

/*
 * Returns the rank of a task with equal times: its pid. The numbers of tasks depend on which thread
 * of the index was first.
 */
static int64_t rank(const struct timeline *tl, int task)
{
	const struct timeline_task *t = task >= 0 ? timeline_task(tl, task) : NULL;

	return t ? (int64_t)t->machine << 32 | (uint32_t)t->pid : task;
}

int owner_compare(const void *a, const void *b, void *tl)
{
	const struct owner *x = a, *y = b;
	int64_t x_rank, y_rank;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	x_rank = rank(tl, x->task);
	y_rank = rank(tl, y->task);
	return (x_rank > y_rank) - (x_rank < y_rank);
}

void owners_sort(struct owners *o, struct timeline *tl)
{
	qsort_r(o->list, o->n, sizeof(o->list[0]), owner_compare, tl);
}
