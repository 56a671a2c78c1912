// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * threads.c - threads of a perf.data, and what their processes have mapped, at the time of each
 * record.
 *
 *	MMAP    a range of a process now is a part of a file; older ranges below it are cut
 *	FORK    a new thread has the name of its parent; a new process its mappings, too
 *	COMM    a new name; of an exec, too: the new program's mappings replace those of the old one
 *	        as they come, because the old ones explain samples that are taken during the exec
 *
 * All threads of a process share one list of mappings. A child's list is its parent's until one of
 * them changes it: most children run another program at once.
 */
#include "base/array.h"
#include "inputs/perfdata/session_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_maps(struct perfmaps *m)
{
	if (!m || --m->n_users)
		return;
	free(m->list);
	free(m);
}

static struct perfmaps *get_maps(struct perfmaps *m)
{
	if (m)
		m->n_users++;
	return m;
}

/* Its own list, which it may change. */
static struct perfmaps *take_own_maps(struct perfthread *t)
{
	struct perfmaps *old = t->maps, *new;

	if (old && old->n_users == 1)
		return old;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->n_users = 1;
	if (old && old->n) {
		if (!ARRAY_ROOM(new->list, new->cap, old->n, PERFSESSION_MAPS_MAX)) {
			free(new);
			return NULL;
		}
		memcpy(new->list, old->list, old->n * sizeof(*old->list));
		new->n = old->n;
	}
	put_maps(old);
	t->maps = new;
	return new;
}

struct perfthread *perfsession_thread(struct perfsession *s, int32_t tid, int32_t pid)
{
	void **slot = map_take(&s->threads, (uint64_t)(int64_t)tid + 1, PERFSESSION_THREADS_MAX);
	struct perfthread *t;

	if (!slot)
		return NULL;
	t = *slot;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return NULL;
		*slot = t;
		t->tid = tid;
		t->pid = pid;
		if (!tid)
			perfthread_set_comm(t, "swapper", 7);
		else
			snprintf(t->comm, sizeof(t->comm), ":%d", tid);
	}
	if (t->pid < 0)
		t->pid = pid;
	return t;
}

void perfthread_set_comm(struct perfthread *t, const char *comm, size_t len)
{
	snprintf(t->comm, sizeof(t->comm), "%.*s",
		 (int)(len < sizeof(t->comm) ? len : sizeof(t->comm) - 1), comm);
	t->has_comm = true;
}

int perfsession_fork(struct perfsession *s, int32_t pid, int32_t tid, int32_t ppid, int32_t ptid)
{
	struct perfthread *parent = perfsession_thread(s, ptid, ppid);
	struct perfthread *child = perfsession_thread(s, tid, pid);
	struct perfthread *parent_process = perfsession_thread(s, ppid, ppid);

	if (!parent || !child || !parent_process)
		return -ENOMEM;
	child->pid = pid; /* the number may have belonged to another one */
	if (parent->has_comm && tid != ptid)
		perfthread_set_comm(child, parent->comm, strlen(parent->comm));
	if (pid != ppid && pid == tid) {
		put_maps(child->maps);
		child->maps = get_maps(parent_process->maps);
	}
	return 0;
}

/*
 * --- mappings ----------------------------------------------------------------------------------
 */

/* The first mapping that ends above the address. */
static size_t first_above(const struct perfmaps *m, uint64_t address)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->list[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct perfmap *perfmaps_find(const struct perfmaps *maps, uint64_t ip)
{
	size_t i = maps ? first_above(maps, ip) : 0;

	return maps && i < maps->n && maps->list[i].start <= ip ? &maps->list[i] : NULL;
}

static void remove_at(struct perfmaps *m, size_t i)
{
	memmove(&m->list[i], &m->list[i + 1], (m->n - i - 1) * sizeof(*m->list));
	m->n--;
}

static bool insert_at(struct perfmaps *m, size_t i, const struct perfmap *new)
{
	if (!ARRAY_ROOM(m->list, m->cap, m->n + 1, PERFSESSION_MAPS_MAX))
		return false;
	memmove(&m->list[i + 1], &m->list[i], (m->n - i) * sizeof(*m->list));
	m->list[i] = *new;
	m->n++;
	return true;
}

/* Cuts what the new mapping covers. Returns false if memory ran out. */
static bool cut_below(struct perfmaps *m, const struct perfmap *new)
{
	size_t i = first_above(m, new->start);

	while (i < m->n && m->list[i].start < new->end) {
		struct perfmap *old = &m->list[i];

		if (old->start < new->start && old->end > new->end) {
			struct perfmap rest = *old;

			rest.pgoff += new->end - rest.start;
			rest.start = new->end;
			old->end = new->start;
			return insert_at(m, i + 1, &rest);
		}
		if (old->start < new->start) {
			old->end = new->start;
			i++;
		} else if (old->end > new->end) {
			old->pgoff += new->end - old->start;
			old->start = new->end;
			return true;
		} else {
			remove_at(m, i);
		}
	}
	return true;
}

int perfsession_map(struct perfsession *s, struct perfthread *t, const struct perfmap *m)
{
	struct perfmaps *maps;

	if (m->end <= m->start)
		return 0;
	maps = take_own_maps(t);
	if (!maps || !cut_below(maps, m) || !insert_at(maps, first_above(maps, m->start), m))
		return -ENOMEM;
	return 0;
}

int perfsession_each_thread(struct perfsession *s,
			    int (*visit)(void *ctx, const struct perfthread *t), void *ctx)
{
	for (size_t i = 0; i < s->threads.n_slots; i++)
		if (s->threads.slots[i].value)
			TRY(visit(ctx, s->threads.slots[i].value));
	return 0;
}

void perfsession_free_threads(struct perfsession *s)
{
	for (size_t i = 0; i < s->threads.n_slots; i++) {
		struct perfthread *t = s->threads.slots[i].value;

		if (!t)
			continue;
		put_maps(t->maps);
		free(t);
	}
	map_release(&s->threads);
}
