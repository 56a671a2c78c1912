// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * schedchains.c - adds up turns by the chain of wakers that led to them.
 *
 * The flow keeps the chain of each task (schedflow.c). A chain is known by its text, which is also
 * what people read. Turns after a preemption have no waker and do not count.
 */
#include "analyse/sched/schedchains.h"

#include "analyse/namepool.h"
#include "base/arena.h"
#include "base/array.h"
#include "base/map.h"
#include "base/textbuf.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_MAX	 (1u << 18)
#define MEMORY_MAX_BYTES (256u << 20)

struct schedchains {
	bool by_pid, has_dropped;
	unsigned n_links;
	struct arena arena;
	struct namepool names;
	struct map rows; /* struct sched_chain_sum by the address of its label */
	struct sched_chain_sum **sorted;
	size_t n_sorted;
	enum schedchains_order order;
	struct textbuf label;
};

static void add_name(struct schedchains *c, const struct sched_link *l)
{
	if (l->in_irq)
		textbuf_add_str(&c->label, "an interrupt");
	else
		textbuf_add_str(&c->label, *l->task->comm ? l->task->comm : "<...>");
	if (c->by_pid && !l->in_irq)
		textbuf_addf(&c->label, "-%d", l->task->pid);
}

static struct sched_chain_sum *row_of(struct schedchains *c, const struct sched_turn *t)
{
	struct sched_link self = {t->task, false};
	const struct pooled_name *name;
	struct sched_chain_sum *row;
	void **slot;

	textbuf_clear(&c->label);
	add_name(c, &self);
	for (unsigned i = 0; i < t->n_chain && i < c->n_links; i++) {
		textbuf_add_str(&c->label, " ← ");
		add_name(c, &t->chain[i]);
	}
	name = namepool_find(&c->names, c->label.start, textbuf_len(&c->label));
	slot = name ? map_take(&c->rows, (uintptr_t)name->text, ROWS_MAX) : NULL;
	if (!slot || *slot)
		return slot ? *slot : NULL;
	row = arena_alloc(&c->arena, sizeof(*row));
	if (!row)
		return NULL;
	row->label = name->text;
	row->links[row->n_links++] = self;
	for (unsigned i = 0; i < t->n_chain && i < c->n_links; i++)
		row->links[row->n_links++] = t->chain[i];
	*slot = row;
	return row;
}

void schedchains_add(struct schedchains *c, const struct sched_turn *t)
{
	struct sched_chain_sum *row;

	if (!t->has_run || !t->waker || !t->is_wait_sure || !t->task->pid)
		return;
	row = row_of(c, t);
	if (!row) {
		c->has_dropped = true;
		return;
	}
	row->n++;
	row->sleep_ns += t->sleep_ns;
	row->wait_ns += t->wait_ns;
	if (t->wait_ns >= row->max_wait) {
		row->max_wait = t->wait_ns;
		row->max_ts = t->start;
	}
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct sched_chain_sum *x = *(struct sched_chain_sum *const *)a;
	const struct sched_chain_sum *y = *(struct sched_chain_sum *const *)b;
	const struct schedchains *c = ctx;
	int r = c->order == CHAINS_BY_SLEEP  ? COMPARE(y->sleep_ns, x->sleep_ns)
		: c->order == CHAINS_BY_WAIT ? COMPARE(y->wait_ns, x->wait_ns)
					     : 0;

	return r ?: COMPARE(y->n, x->n) ?: strcmp(x->label, y->label);
}

int schedchains_finish(struct schedchains *c, enum schedchains_order order)
{
	c->order = order;
	free(c->sorted);
	c->n_sorted = 0;
	c->sorted = calloc(c->rows.n + 1, sizeof(*c->sorted));
	if (!c->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < c->rows.n_slots; i++)
		if (c->rows.slots[i].value)
			c->sorted[c->n_sorted++] = c->rows.slots[i].value;
	if (c->n_sorted)
		qsort_r(c->sorted, c->n_sorted, sizeof(*c->sorted), compare, c);
	return 0;
}

const struct sched_chain_sum *const *schedchains_rows(const struct schedchains *c, size_t *ret_n)
{
	*ret_n = c->n_sorted;
	return (const struct sched_chain_sum *const *)c->sorted;
}

bool schedchains_has_dropped(const struct schedchains *c)
{
	return c->has_dropped;
}

struct schedchains *schedchains_new(bool by_pid, unsigned n_links)
{
	struct schedchains *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->by_pid = by_pid;
	c->n_links = n_links < SCHED_CHAIN_MAX ? n_links : SCHED_CHAIN_MAX;
	arena_init(&c->arena, MEMORY_MAX_BYTES);
	namepool_init(&c->names);
	textbuf_init(&c->label, 1 << 16);
	return c;
}

void schedchains_free(struct schedchains *c)
{
	if (!c)
		return;
	map_release(&c->rows);
	namepool_release(&c->names);
	textbuf_release(&c->label);
	arena_release(&c->arena);
	free(c->sorted);
	free(c);
}
