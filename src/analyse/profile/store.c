// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * store.c - the tables of a profile.
 *
 *	tasks   pid ─▶ task ─▶ its rows
 *	starts  (task, event, value) ─▶ an open pair; goes to a free list when it ends
 *	rows    (task, event, value) ─▶ count and durations
 *	stacks  frames ─▶ one object for each different stack
 *	links   (row, stack) ─▶ count and durations with that stack
 *
 * Everything is in one arena with a limit and is allocated when it is first needed, so a long trace
 * allocates no more than a short one of the same kind. Events beyond the limit are not counted;
 * n_dropped is their number.
 *
 * A start is found by the value that it shares with its end, the latest first: if a function calls
 * itself, the inner call ends first. So when a table grows, items with the same hash must keep
 * their order.
 */
#include "analyse/profile/profile_int.h"
#include "base/array.h"
#include "base/hash.h"
#include "decode/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HEADS_MIN 1024

/* --- tables ----------------------------------------------------------------------------------- */

int ptable_init(struct ptable *t, uint64_t seed, size_t n_max)
{
	*t = (struct ptable){.n_heads = HEADS_MIN, .n_max = n_max, .seed = seed};
	t->heads = calloc(t->n_heads, sizeof(*t->heads));
	return t->heads ? 0 : -ENOMEM;
}

void ptable_release(struct ptable *t)
{
	free(t->heads);
	t->heads = NULL;
}

static uint64_t mix(const struct ptable *t, uint64_t hash, uint64_t v)
{
	hash = (hash ^ v) * t->seed;
	return hash ^ hash >> 32;
}

static struct pitem **head_of(const struct ptable *t, uint64_t hash)
{
	return &t->heads[hash_number(t->seed, hash, t->n_heads)];
}

static struct pitem *reversed(struct pitem *list)
{
	struct pitem *back = NULL;

	while (list) {
		struct pitem *next = list->next;

		list->next = back;
		back = list;
		list = next;
	}
	return back;
}

static void ptable_grow(struct ptable *t)
{
	struct ptable more = {.n_heads = t->n_heads * 2, .seed = t->seed};

	more.heads = calloc(more.n_heads, sizeof(*more.heads));
	if (!more.heads)
		return;
	for (size_t i = 0; i < t->n_heads; i++) {
		struct pitem *next, *item = reversed(t->heads[i]);

		for (; item; item = next) {
			struct pitem **head = head_of(&more, item->hash);

			next = item->next;
			item->next = *head;
			*head = item;
		}
	}
	free(t->heads);
	t->heads = more.heads;
	t->n_heads = more.n_heads;
}

static void ptable_add(struct ptable *t, struct pitem *item, uint64_t hash)
{
	struct pitem **head;

	if (t->n >= t->n_heads)
		ptable_grow(t);
	head = head_of(t, hash);
	item->hash = hash;
	item->next = *head;
	*head = item;
	t->n++;
}

static void ptable_remove(struct ptable *t, struct pitem *item)
{
	struct pitem **at = head_of(t, item->hash);

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	t->n--;
}

/* Allocates a new item for a table. Returns NULL at its limit. */
static void *alloc_for(struct profile *p, const struct ptable *t, size_t n_bytes)
{
	return t->n < t->n_max ? arena_alloc(&p->arena, n_bytes) : NULL;
}

/* --- tasks ------------------------------------------------------------------------------------ */

struct ptask *profile_task_new(struct profile *p)
{
	struct ptask *t = alloc_for(p, &p->tasks, sizeof(*t));

	if (!t)
		return NULL;
	t->pub.pid = PROFILE_NO_PID;
	t->next = p->all_tasks;
	p->all_tasks = t;
	return t;
}

struct pcpu *profile_cpu(struct profile *p, uint32_t cpu)
{
	if (!ARRAY_ROOM(p->cpus, p->n_cpus, (size_t)cpu + 1, PROFILE_CPUS_MAX))
		return NULL;
	return &p->cpus[cpu];
}

struct ptask *profile_task_global(struct profile *p, bool migrate, uint32_t cpu)
{
	struct pcpu *c = profile_cpu(p, cpu);
	struct ptask **at = migrate ? &p->global : c ? &c->global : NULL;

	if (!at || *at)
		return at ? *at : NULL;
	*at = profile_task_new(p);
	if (*at) {
		(*at)->pub.is_global = migrate;
		(*at)->pub.is_cpu = !migrate;
		(*at)->pub.cpu = cpu;
	}
	return *at;
}

/* Finds or adds a task. Every CPU has an idle task, and all of them have pid 0. */
struct ptask *profile_task_get(struct profile *p, int pid, uint32_t cpu)
{
	bool idle = !pid && !p->config.as_trace_cmd;
	uint64_t key = idle ? (uint64_t)cpu << 32 | 1u << 31 : (uint32_t)pid;
	uint64_t hash;
	struct ptask *t;

	if (p->last_task && p->last_task->key == key)
		return p->last_task;
	if (idle && p->config.global) {
		t = profile_task_global(p, false, cpu);
		if (t)
			t->pub.is_idle = true;
		return t;
	}
	hash = mix(&p->tasks, 0, key);
	for (struct pitem *i = *head_of(&p->tasks, hash); i; i = i->next) {
		t = (struct ptask *)i;
		if (t->key == key)
			return p->last_task = t;
	}
	t = profile_task_new(p);
	if (!t)
		return NULL;
	t->key = key;
	t->pub.pid = pid;
	t->pub.is_idle = idle;
	t->pub.cpu = cpu;
	ptable_add(&p->tasks, &t->item, hash);
	return p->last_task = t;
}

/* --- starts ----------------------------------------------------------------------------------- */

static struct pstart **list_of(struct profile *p, const struct pstart *s)
{
	return s->pev->migrate ? &p->migrating : &p->cpus[s->cpu].starts;
}

static uint64_t hash_start(const struct ptable *t, const struct ptask *task,
			   const struct pevent *pev, uint64_t search)
{
	return mix(t, mix(t, (uintptr_t)task, (uintptr_t)pev), search);
}

struct pstart *profile_start_add(struct profile *p, struct ptask *task, const struct pevent *pev,
				 const struct record *rec, uint64_t search, uint64_t value)
{
	struct pstart *s = p->free_starts, **list;

	if (!profile_cpu(p, rec->cpu))
		return NULL;
	if (s)
		p->free_starts = s->older;
	else
		s = alloc_for(p, &p->starts, sizeof(*s));
	if (!s) {
		p->n_dropped++;
		return NULL;
	}
	*s = (struct pstart){.task = task,
			     .pev = pev,
			     .search = search,
			     .value = value,
			     .ts = rec->ts,
			     .cpu = rec->cpu};
	list = list_of(p, s);
	s->older = *list;
	if (*list)
		(*list)->newer = s;
	*list = s;
	ptable_add(&p->starts, &s->item, hash_start(&p->starts, task, pev, search));
	return s;
}

struct pstart *profile_start_find(struct profile *p, const struct ptask *task,
				  const struct pevent *pev, uint64_t search)
{
	uint64_t hash = hash_start(&p->starts, task, pev, search);

	for (struct pitem *i = *head_of(&p->starts, hash); i; i = i->next) {
		struct pstart *s = (struct pstart *)i;

		if (i->hash == hash && s->task == task && s->pev == pev && s->search == search)
			return s;
	}
	return NULL;
}

void profile_start_free(struct profile *p, struct pstart *s)
{
	if (s->holder && s->holder->last_start == s)
		s->holder->last_start = NULL;
	ptable_remove(&p->starts, &s->item);
	*(s->newer ? &s->newer->older : list_of(p, s)) = s->older;
	if (s->older)
		s->older->newer = s->newer;
	s->older = p->free_starts;
	p->free_starts = s;
}

void profile_forget(struct profile *p, uint32_t cpu)
{
	struct pcpu *c = profile_cpu(p, cpu);

	p->n_gaps++;
	while (c && c->starts)
		profile_start_free(p, c->starts);
	while (p->migrating)
		profile_start_free(p, p->migrating);
	if (c)
		c->running = NULL;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct prow *profile_row_get(struct profile *p, struct ptask *task, const struct pevent *pev,
			     uint64_t search, uint64_t value)
{
	uint64_t hash = mix(&p->rows, hash_start(&p->rows, task, pev, search), value);
	struct prow *row;

	for (struct pitem *i = *head_of(&p->rows, hash); i; i = i->next) {
		row = (struct prow *)i;
		if (i->hash == hash && row->task == task && row->pev == pev &&
		    row->search == search && row->value == value)
			return row;
	}
	row = alloc_for(p, &p->rows, sizeof(*row));
	if (!row) {
		p->n_dropped++;
		return NULL;
	}
	*row = (struct prow){.task = task,
			     .pev = pev,
			     .search = search,
			     .value = value,
			     .next = task->rows,
			     .pub = {.kind = pev->kind,
				     .event = pev->event,
				     .end_event = pev->end ? pev->end->event : NULL,
				     .field = pev->end ? pev->end_match : pev->data_field,
				     .value = value,
				     .name = pev->name}};
	task->rows = row;
	ptable_add(&p->rows, &row->item, hash);
	return row;
}

const struct pstack *profile_stack_get(struct profile *p, const uint64_t *frames, size_t n)
{
	uint64_t hash = n;
	struct pstack *s;

	for (size_t i = 0; i < n; i++)
		hash = mix(&p->stacks, hash, frames[i]);
	for (struct pitem *i = *head_of(&p->stacks, hash); i; i = i->next) {
		s = (struct pstack *)i;
		if (i->hash == hash && s->n_frames == n &&
		    !memcmp(s->frames, frames, n * sizeof(*frames)))
			return s;
	}
	s = alloc_for(p, &p->stacks, sizeof(*s) + n * sizeof(*frames));
	if (!s) {
		p->n_dropped++;
		return NULL;
	}
	s->n_frames = n;
	memcpy(s->frames, frames, n * sizeof(*frames));
	ptable_add(&p->stacks, &s->item, hash);
	return s;
}

struct plink *profile_link_get(struct profile *p, struct prow *row, const struct pstack *stack)
{
	uint64_t hash = mix(&p->links, (uintptr_t)row, (uintptr_t)stack);
	struct plink *l;

	for (struct pitem *i = *head_of(&p->links, hash); i; i = i->next) {
		l = (struct plink *)i;
		if (l->row == row && l->stack == stack)
			return l;
	}
	l = alloc_for(p, &p->links, sizeof(*l));
	if (!l) {
		p->n_dropped++;
		return NULL;
	}
	*l = (struct plink){.row = row, .stack = stack, .next = row->links};
	row->links = l;
	row->pub.n_stacks++;
	ptable_add(&p->links, &l->item, hash);
	return l;
}

/* --- names of interrupts ---------------------------------------------------------------------- */

void profile_irq_name_add(struct profile *p, uint64_t irq, const char *name, size_t len)
{
	struct pname *n;

	if (profile_irq_name(p, irq))
		return;
	n = alloc_for(p, &p->irq_names, sizeof(*n) + len + 1);
	if (!n)
		return;
	n->number = irq;
	memcpy(n->text, name, len);
	ptable_add(&p->irq_names, &n->item, mix(&p->irq_names, 0, irq));
}

const char *profile_irq_name(const struct profile *p, uint64_t irq)
{
	uint64_t hash = mix(&p->irq_names, 0, irq);

	for (struct pitem *i = *head_of(&p->irq_names, hash); i; i = i->next)
		if (((struct pname *)i)->number == irq)
			return ((struct pname *)i)->text;
	return NULL;
}

/* --- times ------------------------------------------------------------------------------------ */

void profile_times_add(struct profile_times *t, uint64_t time, uint64_t ts)
{
	t->n++;
	t->total += time;
	if (time > t->max) {
		t->max = time;
		t->max_ts = ts;
	}
	if (t->n == 1 || time < t->min) {
		t->min = time;
		t->min_ts = ts;
	}
}

void profile_times_merge(struct profile_times *t, const struct profile_times *in)
{
	bool first = !t->n;

	t->n += in->n;
	t->total += in->total;
	if (t->max < in->max) {
		t->max = in->max;
		t->max_ts = in->max_ts;
	}
	if (first || t->min > in->min) {
		t->min = in->min;
		t->min_ts = in->min_ts;
	}
}
